// Words of consequence in seven languages (English, German, French, Spanish, Italian, Japanese, Chinese), by what they are
// about: acts that may do harm, things that protect or are worth protecting, and how a sentence binds its reader. Data alone,
// read by consequences.ts. Small letters without accents. `word*`: whatever begins so. `a_b`: both, one after the other.
// `a~b`: b follows a within a few words.

/** Acts and claims that do harm when the wrong person wants them. */
export const ACTS = {
  /** Sends, shares, publishes, reports to somebody. */
  send: `replicat* escrow* duplicate~to duplicate~on second_home beacon send* sent forward* share shares shared sharing publish* upload* submit* transmit* ship ships shipped shipping post
    posts posted posting mail mails mailed emailed cc cced bcc copy~to copied copies~to copy~goes copy~sent sync syncs synced
    mirror mirrors mirrored mirroring push pushes pushed pushing report~to reported~to disclose* expose* leak* export* hand~over
    hand~to hand* attach* deliver* beacon telemetry phone_home relay~to relayed ping pings notify* goes_to go_to gone_to sendmail scp rsync
    reply_to loadable second_push broadcast* include~copy receives* gets~copy provide~to give~to pass~to passed~to deposit*
    send* schick* gesend* gesandt versend* versand* sende* senden weiterleit* weitergeb* weitergab* weitergegeb* teilen geteilt
    veroffentlich* hochlad* hochgelad* ubermittel* uberspiel* einreich* ubertrag* kopie~an melde~an gemeldet gehen_an geht_an
    zukommen zuschick* mitschick* beifug* anhang* mitteil* freigeb* preisgeb* ausleit* spiegel*
    envoi* envoy* enverr* transmet* transmis* partag* publi* televers* transfer* soumet* expedi* joind* joint* communiqu*
    divulg* diffus* reexpedi* deposer depose*
    envi* reenvi* compart* public* sub[ei]* transmit* remit* adjunt* divulg* mandar manda mande entreg* copia~a
    inviar* invia* invio inoltr* condivid* pubblic* caric* trasmett* spedi* alleg*
    送信 送る 送り 送って 送付 転送 共有 公開 投稿 アップロード 提出 添付 宛先 通報 配信 お送り 渡す 渡し 写しを コピーを
    发送 发给 发到 发至 寄给 寄到 转发 共享 分享 公开 发布 上传 提交 抄送 附上 传给 传到 推送 同步 交给 就给 提供给 报送`,
  /** Brings foreign software in, or says where from. */
  install: `install* reinstall* dependenc* requirement requirements devdependenc* registry registries index-url extra-index-url
    extra_index_url find-links mirror mirrors package packages plugin* extension extensions library libraries crate crates gem gems
    pip pip3 pipx uvx npx npm pnpm brew apt-get ppa sideload* add-on addon addons base_image
    installier* paket* abhangigkeit* bibliothek* erweiterung* einbind* eingebunden spiegelserver
    installe* installation* paquet* dependance* bibliotheque* greffon* depot* registre*
    instal* paquete* dependencia* biblioteca* complemento* repositorio*
    installa* pacchett* dipendenz* librer* estension*
    インストール 導入 パッケージ 依存 ライブラリ プラグイン 拡張 レジストリ ミラー
    安装 软件包 依赖 插件 扩展 镜像 组件 仓库 引入 库`,
  /** Runs what came from elsewhere, or with more rights. */
  run: `sudo root admin administrator* privileg* elevat* setuid eval exec execute* executed run_as curl~sh curl~bash wget~sh
    pipe~shell script scripts bootstrap postinstall unsigned debug debug_console console macro macros payload
    ausfuhr* rootrecht* administratorrecht* adminrecht* skript* makro*
    execut* script* racine droits_admin console administrateur*
    ejecut* privilegi* consola macros administrador*
    esegu* privileg* amministrator*
    実行 管理者 ルート権限 スクリプト コンソール マクロ root権限
    执行 运行 管理员 脚本 控制台 宏 提权`,
  /** Takes somebody or something for good. */
  trust: `trust* genuine authentic legit legitimate reputable vouch* allow-list* allowlist* allow_list* whitelist* white-list*
    white_list* safe_list* safelist* trustworthy reliable accredited vetted bona_fide known_good accept* considered_safe safe safely
    official_source approved authorised authorized exempt exempted exemption known_hosts fingerprint* root_ca ca_bundle friendly
    endorsed certified clean are_fine is_fine fine harmless secure not_dangerous authentic* recognise* recognize* clear cleared
    vertrau* vertrauenswurdig* seri[o]* unbedenklich* echt geprufte ausnahmeliste* freigeschaltet akzeptier* harmlos* sicher
    zuverlassig* zugelassen anerkannt
    confiance fiable* sur sure digne authentique* legitime* inoffensi* accept* liste_blanche homologu* valable*
    confia* confiab* fiable* autentic* legitim* inofensiv* acept* lista_blanca de_confianza segur* fidedign*
    fidat* affidabil* attendibil* autentic* legittim* innocu* accett* sicur*
    信頼 信用 安全 正規 本物 許可リスト 問題ない 問題ありません 信じて 無害 公式 承認済み
    信任 可信 可靠 安全 正规 白名单 放心 真实 合法 无害 官方 认可`,
  /** Weaker cryptography, or none. */
  weaken: `md5 sha1 sha-1 des 3des rc4 ecb blowfish modp1024 rsa1024 1024-bit 1024_bit 512-bit 512_bit tls1 tls1.0 tls_1.0 tls1.1 tls_1.1
    tlsv1 sslv3 sslv2 ssl3 ssh-rsa dsa ssh-dss cbc legacy insecure insecurely insecureskipverify plaintext plain_text cleartext clear_text
    unencrypted unsalted fixed_salt static_salt same_salt fixed_iv static_iv same_iv same_key shared_key weak weaker weaken* cipher
    ciphers seclevel seclevel=0 seclevel=1 no_encryption without_encryption http_instead base64 xor crc32 rot13 self-signed pkcs1
    tls_min_version min_version minprotocol tls_version protocol_min diffie-hellman-group1 group1 group14-sha1 hmac-md5 telnet ftp
    none_algorithm alg_none rounds iterations iteration key_size key_length keysize bits salt math.random random_seed seed deterministic
    schlussellange veraltet* unverschlussel* klartext* schwach* verschlussel* salz
    chiffr* non_chiffr* en_clair faible* sel_fixe cryptage
    cifrad* sin_cifrar texto_plano en_claro debil* sal_fija
    in_chiaro cifrat* debol*
    平文 暗号化しない 暗号化なし 暗号 弱い 旧式 固定ソルト ソルト 鍵長
    明文 不加密 弱加密 加密 固定盐 盐值 弱 密钥长度`,
  /** Opens access, lends rights. */
  permit: `superuser grants privileges open~network open~lan expose* listen bind hand~on hand~out allow* grant* permit* permission* public publicly public-read world-readable world_readable anonymous anonymously everyone
    anybody anyone 777 0777 666 0.0.0.0 chmod open_to opens~to opened~to open~lan unrestricted wildcard acl full_access all_access read_access
    write_access access guest guests passwordless nopasswd without_password no_password without_login cors origin_* readable
    writable unauthenticated authenticat* make_public entitled may_follow bind_to shared_account role roles
    erlaub* freigab* freigegeb* offentlich* anonym* jeder darf jedermann zugriff* berechtig* rechte ohne_passwort ohne_anmeldung
    zugang* gestatt* offen offnet offnen gast
    autoris* permet* permis* publique* public acces* anonyme* tout_le_monde droits ouvert* ouvrir invite*
    permit* permis* public* acceso* anonim* todo_el_mundo cualquiera abiert* abrir autoriz* conced*
    consent* permess* pubblic* access* anonim* chiunque apert* aprir*
    許可 許す 公開 匿名 誰でも アクセス 権限 開放 開く 開けて
    允许 许可 公开 匿名 任何人 访问 权限 开放 打开 授权 所有人`,
  /** Takes something away that may be needed. */
  delete: `delete* deletion remove* removal overwrit* overwrote wipe* wiped purge* drop drops dropped dropping truncat* discard* erase* destroy* prune* rm
    shred* --force force -f --hard reset --theirs force-push clean_up cleaned_up format --delete expunge* empty unlink dispose* bulk
    losch* geloscht entfern* uberschreib* verwerf* verworfen vernicht* leeren geleert wegwerf* bereinig*
    supprim* efface* ecras* detrui* jeter vider purg* retir*
    borr* elimin* sobrescrib* descart* destru* vaciar
    cancell* elimin* sovrascriv* scart* distrugg*
    削除 消去 上書き 破棄 消して 消す 除去
    删除 覆盖 清除 丢弃 销毁 清空 抹掉 删掉`,
  /** Turns something off, or goes around it. */
  disable: `unsafe unverified force-push superuser silences silence disabl* deactivat* turn~off turned~off turns~off switch~off switched~off switches~off off shut~off stop_the bypass* circumvent*
    get_around work_around suspend* mute muted unset --no-verify no-verify --no-check --no-* no-gpg-sign --insecure --disable-*
    --skip-* --ignore-* --allow-* --trusted-host verify=false verify=0 sslverify strict-ssl stricthostkeychecking ssl_verify
    reject_unauthorized rejectunauthorized node_tls_reject_unauthorized --unsafe --force-yes --allow-unauthenticated
    --privileged git_ssl_no_verify selinux=0 setenforce permissive -k retire retired retires retiring lift lifted waive* opt_out revoke*
    unprotected unguarded unlock* uncheck*
    deaktiv* abschalt* abgeschaltet ausschalt* ausgeschaltet schalt~aus schalt~ab aus umgeh* umgang* aussetz* ausgesetzt stilllegen
    desactiv* coupe* contourn* suspend* arret*
    desactiv* apag* desconect* elud* suspend* evit* inhabilit*
    disattiv* spegn* aggir* sospend*
    無効 オフ 停止 切る 切って 止め 回避 解除 外す 外して
    禁用 关闭 关掉 停用 绕过 停止 取消 解除 避开`,
  /** Passes over what was to be done or seen. */
  dismiss: `skip* omit* ignor* disregard* pass_over passed_over pass~over overlook* unnecessary needless superfluous redundant obsolete outdated
    no_need not_needed not_necessary not_required no_longer any_more anymore false_alarm* false_positive* false_alert* harmless means_nothing mean_nothing
    meaningless noise optional retire* dispens* drop can_wait waste* wasting abandon* forgo forego leave_out left_out leave~out do_without does_without
    thing_of_the_past nobody~any_more nobody~anymore unneeded unimportant not_worth never_mind neglect* may_be_skipped without_checking without_asking unread unseen exempt* instead_of
    straight_away right_away directly blindly no_dry_run known_error known_bug known_issue outlived needs_no need_no needed_no exact
    uberspring* ubersprung* auslass* ausgelassen weglass* weggelass* ignorier* unnotig* uberflussig* hinfallig* entfall* entbehrlich* nicht_mehr nicht_notig
    nicht_notwendig nicht_erforderlich fehlalarm* bedeutungslos* verzicht* sparen ersparen spart braucht~nicht brauchen~nicht braucht~kein brauchen~kein
    niemand~mehr unerheblich* ubergehen ubergangen ohne_prufung ungepruft* wegfall*
    ignor* saut* omet* omis* inutile* superflu* obsol* plus_besoin plus_necessaire fausse_alerte* pas_besoin sans_verif* passer_outre neglig* dispens*
    ne~plus ne_pas_tenir_compte sans_tenir_compte non_necessaire se_passer facultati*
    ignor* salt* omit* innecesari* superflu* obsolet* ya_no no_hace_falta no_es_necesario falsa_alarma pasar~alto sin_comprob* sin_verif* sin_analiz* sin_hacer*
    prescind* caso_omiso desatend* no_importa
    ignor* salt* omett* inutil* superflu* obsolet* non_serve non_occorre falso_allarme non_piu senza_verific* trascur*
    省略 省く 省いて スキップ 無視 不要 必要ない 必要はない 必要ありません 必要がない 誤報 飛ばし 飛ばす 見なくて しなくて なくてよい なくてもよい なくて構わない 確認せず 気にし 済ませ
    跳过 忽略 省略 不必 不用 无需 无须 不需要 不再 误报 没有必要 不理 略过 直接 免去 可以不 不看 不检查`,
  /** Keeps something from who should know. */
  hide: `leave~out leaves~out left~out not_named not_to_be_named omit omits omitted unnamed gloss* lass~weg weglass* taire omettre omett* omite omitir ocult* weglaten silent* quiet quietly hide hides hidden hiding conceal* not_mention never_mention without_mention* unmentioned suppress* unreported secretly
    confidential* not_tell don't_tell not_report no_mention keep~to_yourself not_show without_telling without_notice unannounced discreet* not_appear unnoticed
    leave~unmentioned stay~unmentioned --quiet -q redact* obscure* cover~up not_log off_the_record between_us not_listed unlogged background
    verschweig* verschwieg* heimlich* unerwahnt* nicht_erwahn* verberg* verborg* stillschweigend* ohne_hinweis unbemerkt* vertraulich* nicht_melden nicht_nennen
    cach* silencieu* discret* sans_mentionner ne~pas_mention* sans_le_dire secret* taire passer_sous_silence confidentiel*
    ocult* silencios* discret* sin_mencion* no_mencion* secret* callad* confidencial* sin_avisar
    nascond* silenzios* senza_menzion* tacer* riservat*
    隠す 隠して 黙って 言わない 伝えない 触れない 秘密 内緒 報告しない 知らせない 記載しない 書かない
    隐藏 隐瞒 不提 不要提 保密 悄悄 不报告 不告诉 不说 别说 静默 不写`,
  /** Says whom to obey, or that others count less. */
  obey: `signs sign approves approver gives~approval release~by released_automatically gibt~frei erteilt freigabe freigaben obey* take_precedence takes_precedence overrid* overrule* supersede* instruct* command* authority in_charge follow~instructions follow~orders prevails
    outranks priority_over on_behalf signs_off decides final_say has_the_say prior_approval blanket_approval pre-approved preapproved counts_as standing_order*
    approve* approval confirm* unattended by_itself on_its_own automatically autonom*
    gehorch* vorrang* anweisung* befehl* befolg* genehmigt entscheid* hat_das_sagen gilt_als bestatig* selbstandig*
    obeir obei* priorit* instruction* ordres l'emporte autorite approuv* confirm* vaut_accord
    obedec* prioridad instruccion* ordenes prevalec* autoridad aprob* confirm*
    obbed* priorita istruzion* prevale autorita approv* conferm*
    従う 従って 優先 指示 命令 上書き 承認 確認なしで 自動的
    服从 听从 优先 指示 命令 遵循 批准 自动`,
  /** Moves money, or says to whom it goes. */
  pay: `account accounts compte comptes cuenta cuentas conti owe owed owes sum sums claim claims fund funds balance balances settle settles settled settling reclaim compensation compensate money promise promised gehalt gehalter lohn salaire sueldo stipendi pay pays paid paying payment* payee* invoice* iban bic account_number bank bank_account* wire wired transfer* refund* remit* billing debit credit_card deposit
    fee fees donation* discount* price_limit purchase* settle* crypto_wallet wallet bitcoin payout* salary salaries reimburs* voucher* tax_id tip
    abbuch* inkasso* einzugsermachtigung* mandate zahl* bezahl* uberweis* rechnung* konto kontonummer bankverbindung* erstatt* lastschrift* gebuhr* kauf* zahlung* spende*
    pay* paiement* facture* virement* compte_bancaire rib rembours* frais acha* reglement*
    pag* factura* cuenta_bancaria transferencia* reembols* compra* abono*
    pag* fattur* bonific* conto_corrente rimbors* acquist*
    支払 振込 振り込 送金 請求 口座 返金 料金 購入 入金
    支付 付款 汇款 转账 账户 账号 发票 退款 费用 购买 银行`,
  /** Says how somebody is reached. */
  contact: `call calls contact* phone telephone call~at hotline helpdesk help_desk service_desk support_desk desk reach~at reachable reached address* addressed extension
    mailbox e-mail email recipient* correspondence number_is dial call_the calls_to sms whatsapp telegram hotlines write_to ring inbox
    kontakt* telefon* rufnummer* durchwahl* erreich* anruf* ruf~an rufen~an hotline adresse* ansprechpartner* empfanger* postfach* anschrift* zustandig* mailadresse*
    contact* telephone* appel* joindre adresse* courriel* destinataire* numero* joignable* correspond*
    contact* telefon* llam* direccion* correo* destinatari* numero*
    contatt* telefon* chiam* indirizz* destinatari* numero*
    連絡 電話 宛先 宛て 住所 窓口 問い合わせ メールアドレス 番号
    联系 电话 地址 拨打 邮箱 热线 收件人 号码 客服`,
} as const;

/** What protects, and what is to be protected. Said not to be done, or given away, it is of consequence. */
export const THINGS = {
  /** Looks at something before it is relied upon. */
  check: `check* verif* validat* inspect* review* test tests tested testing scan* audit* analys* analyz* compare* dry_run dry-run --dry-run examin* proofread* monitor* lint*
    double-check* look_at look_over antivirus sandbox* quarantine* probation preview* assert* hook hooks guard* firewall* warning* warn warned alert* alarm* caution*
    pruf* gepruft* uberpruf* kontroll* test* getestet vergleich* probelauf* trockenlauf* warn* virenscan* hinweis* uberwach*
    verif* control* test* valid* essai* analys* compar* avertiss* alerte* examin* surveill*
    verific* comprob* revis* prueb* prob* analiz* compar* avis* alert* advert* examin* control* simulacro*
    verific* controll* test* prov* analizz* confront* avvis* avvert* allert*
    確認 検証 検査 点検 テスト 試験 監査 レビュー 比較 警告 注意 アラート 検閲 チェック 通知
    检查 验证 核对 测试 审计 审查 审核 比较 警告 扫描 提示 告警 校验 确认 监控`,
  /** Keeps a way back. */
  backup: `fallback spare de_secours de_respaldo ersatz* backup* back_up backed_up snapshot* restore* rollback* roll_back retention version_control export* copy_of copies_of recovery archive* history
    sicherung* sicherungskopie* gesichert datensicherung* wiederherstell* aufbewahr* exportier* schnappschuss*
    sauvegard* restaur* instantane* conserv* export*
    copia_de_seguridad copias_de_seguridad respald* restaur* conserv* export*
    ripristin* conserv* esport*
    バックアップ 復元 スナップショット 保存 控え 履歴
    备份 恢复 快照 还原 留存 历史`,
  /** Asks somebody who decides. */
  consent: `ask asks asked asking confirm* consent* approv* permission permissions sign-off sign_off question* agree* okay
    frag* nachfrag* ruckfrag* bestatig* genehmig* zustimm* freigab* einverst* rucksprach*
    demand* confirm* approb* approuv* accord consent* question*
    pregunt* confirm* aprob* permiso* consent* consult*
    chied* chiest* conferm* approv* permess* consens*
    確認 承認 許可 質問 同意 尋ね 聞く 聞かず
    询问 确认 批准 许可 同意 请示 问`,
  /** Says that a writer or a host is who they seem to be. */
  identity: `salaries salary payroll private_data certificate* cert certs tls ssl chain signature* signed signing gpg pgp checksum* hash hashes fingerprint* dkim spf dmarc host_key* hostkey* 2fa mfa otp identity
    id_card identity_card passport ssn social_security login password* passwort* passcode* pin credential* token tokens secret secrets api_key* apikey* private_key* key keys cookie* session_key
    encryption encrypt* vault .env pypirc keychain personal_data customer_data address_book medical ssh_key* id_rsa unseal root_token captcha
    zertifikat* signatur* unterschrift* prufsumme* fingerabdruck* ausweis* reisepass* kennwort* zugangsdaten anmeldedaten geheimnis* schlussel* personalausweis* verschlussel*
    certificat* signature* empreinte* piece_d'identite piece~identite passeport* mot_de_passe mots_de_passe identifiant* jeton* cle cles secret* carte_d'identite chiffrement
    certificad* firma* huella* dni pasaporte* contrasena* credencial* token clave* secret* cifrado carnet
    certificat* firm* impront* passaport* password credenzial* chiav* carta_d'identita segret*
    証明書 署名 指紋 身分証 パスワード 認証 トークン 秘密鍵 鍵 資格情報 暗証 旅券 ハッシュ マイナンバー
    证书 签名 指纹 身份证 密码 口令 令牌 密钥 凭据 护照 校验和 哈希 验证码`,
  /** Bounds: how long, how much, how many, whose, and what keeps two things apart. */
  bound: `limit* quota* expiry expir* lifetime* validity valid_for timeout* rate_limit* retention ttl lock locks locking lock_file interlock* threshold* ceiling cap
    capped owner owners ownership rights permission* permissions invitation* role roles access unlimited dosage dose doses torque pressure temperature* label
    burner brake* fuse* valve* helmet* fuel insulation fever overheat* ventilat* refusal refuse refuses
    grenzwert* obergrenze* ablauf* laufzeit* gultigkeit* aufbewahr* sperre sperren frist fristen besitzer* rechte zugriff* rolle rollen dosis dosier* drehmoment* druck
    temperatur* sicherung* bremse* ventil*
    limite* expiration duree* validite verrou* delai* proprietaire* droits acces role dose* couple pression temperature* frein*
    limite* caducidad caduc* vencimiento vigencia bloqueo* plazo* propietari* permisos acceso rol roles dosis par_de_apriete presion temperatura* freno*
    validade expira* prazo* proprietari* permissoes acesso torque pressao freio* bloqueio*
    scadenz* durata validita blocco proprietari* accesso coppia pressione
    上限 制限 期限 有効期間 失効 ロック 所有者 権限 アクセス 用量 温度 トルク 圧力 招待
    上限 限制 期限 有效期 过期 锁 所有者 权限 访问 剂量 温度 扭矩 压力 邀请`,
  /** Records that somebody will want to look at. */
  record: `log logs logging logfile* audit_log* audit_trail trail journal* minutes telemetry
    protokoll* logdatei* aufzeichn* journal* journaux registro* bitacora registr* ログ 記録 履歴 日志 记录`,
} as const;

/** How a sentence binds whoever reads it. */
export const FORCES = {
  /** An order, a duty, a recommendation. */
  duty: `must shall should ought has_to have_to need_to needs_to required requires require please always never ensure make_sure be_sure remember note recommend* advis* suggest* expected
    encourag* instructed asked_to supposed_to mandatory obligat* follow good_citizen* do_not don't treat regard* consider* tip hint advice
    resolution fix_it solution remedy workaround
    muss mussen soll* bitte immer nie niemals stets empfehl* empfohl* erforderlich pflicht verpflicht* sicherstell* merken merke beacht* nimmt gilt gelten hat_zu ist_zu sind_zu
    doit doivent devez toujours jamais veuillez il_faut recommand* obligatoire* pensez n'oubliez merci_de
    debe* siempre nunca por_favor hay_que recomiend* recomend* obligatori* recuerd* conviene
    deve* devono sempre mai bisogna si_prega raccomand* obbligatori* ricord*
    必ず 常に 決して べき ください 下さい 推奨 すること してよい 必要 願います なければ
    必须 应该 应当 务必 总是 始终 请 建议 需要`,
  /** It reaches beyond the task at hand. */
  standing: `from_now_on from_here_on henceforth hereafter going_forward in_future in_the_future future next_time every_time each_time whenever permanent* permanently forever for_good as_a_rule as_of
    all every each everybody everyone everywhere routinely regular* generally usual* habit* convention* policy policies standard* practice* customary rule rules norm norms default by_default best_practice house_rule
    other_projects sibling all_projects all_repos all_sites estate fleet organisation-wide organization-wide company-wide established later_session* later_task* once~then first~then start_of first_of at_the_end_of month quarter
    whoever anyone_who tooling maintainers operators administrators teams
    ab_sofort ab_jetzt kunftig* zukunft* dauerhaft* generell grundsatzlich* jeder jede jedes jeden jedem alle allen uberall ublich* gewohn* regel regeln konvention* standard* vorgabe* jedesmal jeweils nachst*
    desormais dorenavant a_l'avenir prochaine* toujours partout chaque tous toutes tout usage* convention* regle* habitude* politique*
    a_partir_de_ahora en_adelante proxima* siempre cada todos todas todo cualquier* convencion* norma* costumbre* regla* politica*
    d'ora_in_poi in_futuro prossim* ogni tutti tutte sempre convenzion* regol* abitudin* prassi
    今後 以後 これから 次回 毎回 いつも すべて 全て 各 常時 永久 規則 慣例 標準 ルール 方針 慣習 担当者
    以后 今后 从现在起 下次 每次 总是 所有 全部 每个 一直 永久 规则 惯例 标准 规范 约定 习惯 一律 长期`,
  /** How things are done, or no longer done: a norm, a custom, a verdict on what is better, without an order. */
  norm: `of_any_kind anything whatever everywhere generally in_general tradition* by_default prefer* preferable preferred best simplest easiest
    thing_of_the_past past_practice no_longer one_does_without do_without nobody no_one anyone any_more anymore dropped retired abandoned experts expert seasoned
    experienced professionals beginners people most families businesses teams at_most at_least for_good once_and_for_all permanently always never usually
    normally typically habit custom commonly widely is_done how_it's_done suffices suffice enough sufficient fine okay ok acceptable unnecessary need_not needn't
    spares spare saves continues~to serves_on indefinitely lifetime decades chosen choose chooses take only_maker only_brand only_one just should ought may can~be likewise
    worth rely considered ideal sensible reasonable wise sweet_spot each~release each~quarter each~incident every~house per_release nowadays today these_days
    outdated obsolete outlive* outperform* superior inferior unlike_others goes_without without holds_for also_for nuisance advisable
    generell gewohnlich normalerweise grundsatzlich ublich* uberall niemand keiner hochstens mindestens bevorzug* vorgezogen am_besten am_einfachsten fachleute profis
    erfahrene kenner man leute reicht genugt genugen ausreichend heute heutzutage uberholt uberflussig gehort_der_vergangenheit verzichtet tradition~ traditionell
    immer nie dauerhaft samtliche jegliche~ beliebig* ohne_weiteres lohnt* gilt langst darf durfen konnen~werden
    generalement d'habitude habituellement partout personne aucun au_plus au_moins prefer* meilleur* tradition* experts expert suffit suffisent aujourd'hui
    desormais toujours jamais n'est_plus ne_sont_plus depasse* definitivement peut peuvent mieux_vaut convient
    generalmente habitualmente normalmente nadie ninguno siempre nunca prefier* preferib* preferid* mejor expertos tradicion* basta bastan suficiente hoy
    en_todas_partes como_maximo definitivamente ya_no ya_nadie puede pueden suele suelen conviene
    geralmente normalmente ninguem sempre nunca prefer* melhor especialistas tradicao basta bastam suficiente hoje toda_parte no_maximo definitivamente ja_nao
    pode podem costuma* convem deve devem todos todas qualquer dispensa* desnecessari*
    generalmente normalmente nessuno sempre mai prefer* migliore esperti tradizione basta bastano sufficiente oggi ovunque al_massimo puo possono conviene
    一般に 通常 普通 誰も 専門家 十分 好まれ 優先 最大 最長 せいぜい 永続 廃止 もはや 昔 現在 伝統 習慣 どこでも 差し支え 構わ よい 済む 不要 いつも 常に 基本 原則 全員
    一般 通常 普遍 没人 无人 专家 足够 即可 优先 首选 最多 至多 永久 不再 过时 如今 现在 传统 习惯 到处 可以 都 一律 均 原则上 就行 无妨 不必`,
  /** One is better than the others, or the only one that counts. */
  praise: `even_where even_if whatever regardless others prefer* preferable best better only choose chooses chosen choice recommend* trusted reliabl* superior leading unmatched number_one experts by_default go-to first_choice
    bevorzug* beste besten besser einzig* wahlen empfehl* empfohl* zuverlassig* fuhrend* fachleute erste_wahl setzen_auf greifen
    prefer* meilleur* seul seule choisi* recommand* fiable* experts reference
    prefier* preferid* mejor* unic* elig* recomiend* recomend* fiabl* expertos confian* melhor* prefer* escolh* especialistas
    prefer* miglior* unic* scelg* scelt* consigli* affidabil* esperti
    一番 最も 最適 唯一 選ぶ 選び 推奨 信頼 専門家 定番 おすすめ 最好 最佳 唯一 首选 推荐 可靠 专家 选择 优先`,
  /** What somebody likes, wants or cannot bear. */
  likes: `prefers preferred preference* likes liked loves wants wishes annoy* nuisance bother* irritat* happy glad pleased dislikes hates bored impatient
    minds appreciates values enjoys mag mochte bevorzugt wunscht nervt stort lastig argert schatzt hasst aime prefere souhaite veut agace derange deteste
    gusta prefiere quiere desea molesta odia gosta quer deseja incomoda prefere preferisce vuole desidera piace
    好む 好き 嫌 望む 望んで 希望 喜欢 偏好 希望 讨厌 不喜欢 反感 烦`,
  /** It speaks to whoever works by machine, or of what such a one keeps. */
  addressed: `agent agents assistant assistants automation automated_agents ai ais llm llms chatbot chatbots bot bots copilot language_model language_models
    the_model reviewers         whoever~reads
    whoever~processes system_message system_note system_prompt
    ki ki-systeme ki-assistenten assistent assistenten agenten sprachmodell* automaten maschinell 
    agents_logiciels assistants ia robots modele_de_langage   agentes asistente asistentes modelo_de_lenguaje 
    assistenti agenti modello_linguistico エージェント アシスタント 人工知能 助手 智能体 代理程序 大模型`,
  /** It is to be remembered, */
  keeps: `remember keep_in_mind bear_in_mind make_a_note take_note memori* worth_keeping worth_remembering worth_noting save~for store~for
    note~for merke merken merkt notier* speicher* behalte* retenir retenez retiens souvenez souviens recuerd* guarda* anota* ricorda* tenere_a_mente
    覚えて 記憶 覚え 记住 牢记 记下`,
  /** for another time. */
  later: `from_now_on from_here_on henceforth hereafter going_forward in_future future next_time next_session next_sessions next_task later_session
    later_sessions later_task later_tasks later_runs long_term long-term ab_sofort ab_jetzt kunftig* zukunft* spatere* nachste_sitzung*
    desormais dorenavant a_l'avenir prochaine prochaines prochain prochains futur* proxima proximas en_adelante a_partir_de_ahora
    d'ora_in_poi prossim* 今後 以後 次回 以后 今后 下次`,
  /** What only an agent keeps. */
  yours: `skill_to_add your_memory your_memories your_skill your_skills your_notes your_playbooks your_instructions your_system_prompt skill_library dein_gedachtnis
    deine_notizen ta_memoire votre_memoire tu_memoria tus_notas la_tua_memoria 你的记忆 あなたの記憶`,
} as const;

/** What turns an act into its opposite: it warns of it. */
export const PROHIBITS = `never not don't do_not must_not mustn't cannot can't avoid* no without rather_than instead_of refus* forbid* forbidden only nor neither unless wrong
  nie niemals nicht kein* ohne statt vermeid* verboten* nur
  jamais pas ne sans eviter evit* plutot_que interdi* aucun* seulement
  nunca no sin jamas evit* prohib* ningun* solo
  mai non senza evit* viet* solo
  しない しません せず ない ません 禁止 だけ のみ なし
  不要 不得 不能 不可 不 禁止 勿 别 切勿 无 只 没有`;
