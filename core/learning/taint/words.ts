// Word lists in English, German, French, Spanish, Portuguese, Italian, Japanese and Chinese: topics with which an attacker could do
// harm, and words by which a sentence tells its reader what to do. Data only, read by meaning.ts. All words are in lower case without accents. `word*` matches any word with that
// beginning. `a_b` matches two words in sequence.

/** Topics of a sentence with which an attacker could do harm. */
export const TOPICS = {
  /** To send, share or publish. */
  send: `replicat* redirect* reroute* divert* umleit* rediri* リダイレクト 重定向 escrow* second_home beacon send* sent forward*
    share shares shared sharing upload* submit* transmit* ship ships shipped shipping post posts posted posting mailed emailed
    cc cced bcc copied lodge* sync syncs synced mirror mirrors mirrored mirroring push pushes pushed pushing disclose* expose* leak*
    export* hand hands handed hand_over attach* deliver* telemetry phone_home relayed ping pings notify* goes_to go_to gone_to
    scp rsync reply_to loadable broadcast* receives* deposit* schick* hinterleg* gesend* gesandt versend* versand* weiterleit* weitergeb*
    weitergab* weitergegeb* teilen geteilt veroffentlich* hochlad* hochgelad* ubermittel* uberspiel* einreich* ubertrag*
    gemeldet gehen_an geht_an zukommen zuschick* mitschick* beifug* anhang* mitteil* freigeb* preisgeb* ausleit* spiegel* envoi*
    envoy* enverr* transmet* transmis* partag* publi* televers* transfer* soumet* expedi* joind* joint* communiqu* divulg*
    diffus* reexpedi* depose* enviar envia envian enviad* envie envien envio envios reenvi* compart* remit* adjunt* mandar manda
    mande entreg* invia* invio inoltr* condivid* pubblic* caric* trasmett* spedi* alleg* 送信 送る 送り 送って 送付 転送 共有
    公開 投稿 アップロード 提出 添付 宛先 通報 配信 お送り 渡す 渡し 写しを コピーを 发送 发给 发到 发至 寄给 寄到 转发 共享
    分享 公开 发布 上传 提交 抄送 附上 传给 传到 推送 同步 交给 就给 提供给 报送`,
  /** To bring in foreign software. */
  install: `reinstall* dependenc* requirement requirements devdependenc* registry registries index-url extra-index-url
    extra_index_url find-links mirror mirrors package packages plugin* extension extensions library libraries crate crates gem
    gems pip pip3 pipx uvx npx npm pnpm brew apt-get ppa sideload* add-on addon addons base_image paket* abhangigkeit*
    bibliothek* erweiterung* einbind* eingebunden spiegelserver paquet* dependance* bibliotheque* greffon* depot* registre*
    instal* biblioteca* complemento* repositorio* pacchett* dipendenz* librer* estension* インストール 導入 パッケージ 依存
    ライブラリ プラグイン 拡張 レジストリ ミラー 安装 软件包 依赖 插件 扩展 镜像 组件 仓库 引入 库`,
  /** To run foreign code, or to run with more rights. */
  run: `sudo root admin administrator* privileg* elevat* setuid eval exec run_as bootstrap postinstall unsigned debug console
    macro macros payload ausfuhr* rootrecht* adminrecht* skript* makro* execut* script* racine administrateur* ejecut* consola
    administrador* esegu* amministrator* 実行 管理者 ルート権限 スクリプト コンソール マクロ root権限 执行 运行 管理员 脚本
    控制台 宏 提权`,
  /** To treat somebody or something as safe. */
  trust: `trust* genuine legit reputable vouch vouches vouched vouching allow-list* allowlist* allow_list* whitelist*
    white-list* white_list* safelist* reliable accredited vetted bona_fide known_good accept* safe safely official_source
    approved authorised authorized exempt exempted exemption known_hosts root_ca ca_bundle friendly endorsed certified fine
    harmless secure not_dangerous authentic* recognise* recognize* clear cleared vertrau* unbedenklich* echt geprufte
    ausnahmeliste* freigeschaltet akzeptier* harmlos* sicher zuverlassig* zugelassen anerkannt fiable* est_sur sont_surs surs
    sure digne authentique* inoffensi* liste_blanche homologu* valable* confia* autentic* legitim* inofensiv* acept*
    lista_blanca segur* fidedign* fidat* affidabil* attendibil* legittim* innocu* accett* sicur* 信頼 信用 安全 正規 本物
    許可リスト 問題ない 問題ありません 信じて 無害 公式 承認済み 信任 可信 可靠 正规 白名单 放心 真实 合法 无害 官方 认可
    expert* choose* chosen prefer prefers preferred recommend* bevorzug* empfehl* empfohl* fachleute prefier* recomiend*
    raccomand* 推奨 推荐 首选 专家 専門家`,
  /** To use weaker cryptography, or none. */
  weaken: `unsigniert* non_signe* sin_firmar allowunauthenticated unauthenticated md5 sha1 sha-1 des-cbc single_des
    des_encryption 3des rc4 ecb blowfish modp1024 rsa1024 1024-bit 1024_bit 512-bit 512_bit tls1 tls1.0 tls_1.0 tls1.1 tls_1.1
    tlsv1 sslv3 sslv2 ssl3 ssh-rsa dsa ssh-dss cbc legacy insecure insecurely insecureskipverify plaintext plain_text cleartext
    clear_text unencrypted unsalted fixed_iv static_iv same_iv same_key shared_key weak weaker weaken* cipher ciphers seclevel
    seclevel=0 seclevel=1 no_encryption encryption_none encryption_off encryption_false auth_none authentication_none
    verify_none verification_none without_encryption http_instead base64 xor crc32 rot13 self-signed pkcs1 tls_min_version
    min_version minprotocol tls_version protocol_min diffie-hellman-group1 group1 group14-sha1 hmac-md5 telnet ftp
    none_algorithm alg_none rounds iterations iteration key_size key_length keysize bits salt math.random seed deterministic
    schlussellange veraltet* unverschlussel* klartext* schwach* verschlussel* salz chiffr* en_clair faible* sel_fixe cryptage
    cifrad* sin_cifrar texto_plano en_claro debil* sal_fija in_chiaro cifrat* debol* 平文 暗号化しない 暗号化なし 暗号 弱い 旧式
    固定ソルト ソルト 鍵長 明文 不加密 弱加密 加密 固定盐 盐值 弱 密钥长度`,
  /** To open access or lend rights. */
  permit: `zulass* zugelassen* second_owner co-owner* further_owner another_owner gets_in get_in zugreif* cluster-admin
    clusterrolebinding superuser privileges expose* listen bind allow* grant* permit* world-readable everyone anybody anyone 777 opened_to opened_up open_for opened_for for_all_users
    0777 666 0.0.0.0 chmod open_to unrestricted wildcard acl guest guests passwordless nopasswd without_password no_password
    without_login cors origin_* readable writable unauthenticated authenticat* entitled may_follow shared_account role roles
    erlaub* frei_lesbar frei_zuganglich* frei_einsehbar freigab* freigegeb* offentlich* anonym* jeder_darf jeder_kann darf jedermann zugriff* berechtig* rechte
    ohne_passwort ohne_anmeldung zugang* gestatt* offen offnet offnen gast autoris* permet* permis* publique* acces acceder
    accedent tout_le_monde droits ouvert* ouvrir invite* public* anonim* todo_el_mundo cualquiera abiert* abrir autoriz* conced*
    consent* permess* pubblic* chiunque apert* aprir* 許可 許す 公開 匿名 誰でも アクセス 権限 開放 開く 開けて 允许 许可 公开
    任何人 访问 权限 开放 打开 授权 所有人`,
  /** To delete what may be needed. */
  delete: `in_place delete* deletion remove* removal overwrit* overwrote wipe* drop drops dropped dropping truncat* discard*
    erase* destroy* prune* rm shred* --force force --hard reset --theirs force-push clean_up cleaned_up format_the reformat*
    mkfs --delete expunge* empty unlink dispose* bulk losch* geloscht entfern* uberschreib* verwerf* verworfen vernicht* leeren
    geleert wegwerf* bereinig* supprim* efface* ecras* detrui* jeter vider purg* retir* borr* elimin* sobrescrib* descart*
    destru* vaciar cancella cancellare cancellat* sovrascriv* scart* distrugg* 削除 消去 上書き 破棄 消して 消す 除去 删除 覆盖
    清除 丢弃 销毁 清空 抹掉 删掉`,
  /** To turn something off, or bypass it. */
  disable: `unsafe hookspath unverified force-push superuser silences silence disabl* deactivat* off stop_the bypass*
    circumvent* get_around work_around suspend* mute muted unset no-verify --no-* no-gpg-sign --insecure --disable-* --skip-*
    --ignore-* --allow-* --trusted-host verify=false verify=0 sslverify strict-ssl stricthostkeychecking ssl_verify
    reject_unauthorized rejectunauthorized node_tls_reject_unauthorized --unsafe --force-yes --privileged git_ssl_no_verify
    selinux=0 setenforce permissive retire retired retires retiring lift lifted waive* opt_out revoke* unprotected unguarded
    unlock* uncheck* deaktiv* abschalt* abgeschaltet ausschalt* ausgeschaltet aus umgeh* umgang* aussetz* ausgesetzt stilllegen
    desactiv* coupe* contourn* arret* apag* desconect* elud* evit* inhabilit* disattiv* spegn* aggir* sospend* 無効 オフ 停止
    切る 切って 止め 回避 解除 外す 外して 禁用 关闭 关掉 停用 绕过 取消 避开`,
  /** To skip or dismiss what should be done or seen. */
  dismiss: `renonc* renunci* needed_only only_needed only_before only_until formerly former_years earlier_years brings_no
    bring_no nur_fruher skip* omit* ignor* disregard* pass_over passed_over overlook* unnecessary needless redundant outdated
    no_need lieu_d'etre not_called_for no_longer_called uncalled erubrig* not_needed not_necessary not_required no_longer any_more anymore false_alarm* false_positive* false_alert* harmless
    means_nothing mean_nothing meaningless noise optional retire* dispens* drop can_wait waste* wasting abandon* forgo forego
    leave_out left_out do_without does_without thing_of_the_past unneeded unimportant not_worth never_mind neglect*
    without_checking without_running without_asking unread unseen exempt* instead_of straight_away right_away directly blindly no_dry_run
    known_error known_bug known_issue outlived needs_no need_no needed_no uberspring* ubersprung* auslass* ausgelassen weglass*
    weggelass* unnotig* uberflussig* hinfallig* entfall* entbehrlich* nicht_mehr nicht_notig nicht_notwendig nicht_erforderlich
    fehlalarm* bedeutungslos* verzicht* sparen ersparen spart unerheblich* ubergehen ubergangen ohne_prufung ungepruft* wegfall*
    saut* omet* omis* superflu* obsol* plus_besoin plus_necessaire fausse_alerte* pas_besoin sans_verif* passer_outre neglig*
    ne_pas_tenir_compte sans_tenir_compte non_necessaire se_passer facultati* saltar saltarse salta salte salten innecesari*
    ya_no no_hace_falta no_es_necesario falsa_alarma sin_comprob* sin_verif* sin_analiz* sin_hacer* prescind* desatend*
    no_importa inutil* non_serve non_occorre falso_allarme non_piu senza_verific* trascur* 省略 省く 省いて スキップ 無視 不要
    必要ない 必要はない 必要ありません 必要がない 誤報 飛ばし 飛ばす 見なくて しなくて なくてよい なくてもよい なくて構わない
    確認せず 気にし 済ませ 跳过 忽略 不必 不用 无需 无须 不需要 不再 误报 没有必要 不理 略过 直接 免去 可以不 不看 不检查`,
  /** To hide something from people. */
  hide: `not_named not_to_be_named omit omits omitted unnamed gloss glosses glossed gloss_over weglass* taire omett* omite
    omitir ocult* weglaten silent* quiet quietly hide hides hidden hiding conceal* not_mention never_mention without_mention*
    unmentioned suppress* unreported confidential* not_tell don't_tell not_report no_mention not_show without_telling
    without_notice unannounced discreet* not_appear unnoticed --quiet redact* obscure* not_log off_the_record between_us
    not_listed unlogged background verschweig* verschwieg* heimlich* unerwahnt* nicht_erwahn* verberg* verborg* stillschweigend*
    ohne_hinweis unbemerkt* vertraulich* nicht_melden nicht_nennen cacher cachez cachent cachee cachees silencieu* discret*
    sans_mentionner sans_le_dire secret* passer_sous_silence confidentiel* silencios* sin_mencion* no_mencion* callad*
    confidencial* sin_avisar nascond* silenzios* senza_menzion* tacer* riservat* 隠す 隠して 黙って 言わない 伝えない 触れない
    秘密 内緒 報告しない 知らせない 記載しない 書かない 隐藏 隐瞒 不提 不要提 保密 悄悄 不报告 不告诉 不说 别说 静默 不写`,
  /** To obey somebody, or to let somebody decide. */
  obey: `signs sign erteilt freigabe freigaben obey* take_precedence takes_precedence overrid* overrule* supersede* instruct*
    commanded commanding commands_you authority in_charge prevails outranks on_behalf decides final_say has_the_say pre-approved
    preapproved counts_as standing_order* confirm* unattended by_itself on_its_own automatically autonom* gehorch* vorrang*
    anweisung* befehl* befolg* genehmigt entscheid* hat_das_sagen gilt_als bestatig* selbstandig* obei* priorit* ordres
    l'emporte autorite approuv* vaut_accord obedec* prioridad instruccion* ordenes prevalec* autoridad aprob* obbed* istruzion*
    prevale autorita approv* conferm* 従う 従って 優先 指示 命令 上書き 承認 確認なしで 自動的 服从 听从 优先 遵循 批准 自动`,
  /** To move money, or whom to pay. */
  pay: `card_on_file stored_card saved_card account accounts compte comptes cuenta cuentas conti owe owed owes sum sums claim
    claims fund funds balance balances settling reclaim compensation compensate money promise promised gehalt gehalter lohn
    salaire sueldo stipendi paid invoice* iban bic bank wire wired transfer* refund* remit* billing debit credit_card deposit
    fee fees donation* discount* price_limit purchase* settle* wallet bitcoin salary salaries reimburs* voucher* tax_id tip
    abbuch* inkasso* einzugsermachtigung* mandate zahle zahlen zahlt zahlung* zahlbar* gezahlt bezahl* uberweis* rechnung* konto
    kontonummer bankverbindung* erstatt* lastschrift* gebuhr* kauf* spende* pay* paiement* facture* virement* rib rembours*
    frais acha* reglement* paga pagar pagare pagat* pagad* pago pagos pagamento pagamenti factura* reembols* compra* abono*
    fattur* bonific* conto_corrente rimbors* acquist* 支払 振込 振り込 送金 請求 口座 返金 料金 購入 入金 支付 付款 汇款 转账
    账户 账号 发票 退款 费用 购买 银行`,
  /** Ways to reach somebody. */
  contact: `call calls contact* phone hotline helpdesk desk reachable reached address* extension mailbox e-mail email recipient*
    number_is dial sms whatsapp telegram hotlines write_to ring inbox kontakt* telefon* rufnummer* durchwahl* erreich* anruf*
    adresse* ansprechpartner* empfanger* postfach* anschrift* zustandig* mailadresse* telephone* appel* joindre courriel*
    destinataire* numero* joignable* correspond* llam* direccion* correo* destinatari* contatt* chiam* indirizz* 連絡 電話 宛先
    宛て 住所 窓口 問い合わせ メールアドレス 番号 联系 电话 地址 拨打 邮箱 热线 收件人 号码 客服`,
  /** To check before relying on something. */
  check: `check* hookspath フック 钩子 verif* inspect* review* scan* audit* analys* analyz* dry_run dry-run --dry-run examin*
    proofread* monitor* lint* double-check* look_at look_over antivirus sandbox* quarantine* preview* assert* hook hooks guard*
    firewall* alert* alarm* caution* pruf* gepruft* uberpruf* kontroll* test* getestet vergleich* trockenlauf* warn* virenscan*
    hinweis* uberwach* control controls controlled controlling controle* controla* valid* essai* compar* avertiss* surveill*
    comprob* revisar revisa revisad* revise revisen prueb* probar probad* analiz* avis* advert* simulacro* provare provato
    confront* avvis* avvert* allert* 確認 検証 検査 点検 テスト 試験 監査 レビュー 比較 警告 注意 アラート 検閲 チェック 通知
    检查 验证 核对 测试 审计 审查 审核 比较 扫描 提示 告警 校验 确认 监控 log logs logging logfile* trail journal* telemetry
    protokoll* logdatei* aufzeichn* journaux bitacora registr* ログ 記録 履歴 日志 记录`,
  /** To keep a way back. */
  backup: `fallback spare de_secours ersatz* backup* back_up backed_up snapshot* restore* rollback* roll_back retention
    version_control export* copy_of copies_of recovery archive* history sicherung* gesichert datensicherung* wiederherstell*
    aufbewahr* schnappschuss* sauvegard* restaurer restaurez restaurar restauration instantane* conserv* copia_de_seguridad
    copias_de_seguridad respald* ripristin* esport* バックアップ 復元 スナップショット 保存 控え 履歴 备份 恢复 快照 还原 留存
    历史`,
  /** To ask the person who decides. */
  consent: `befrag* ask asks asked asking confirm* consent* approv* permission permissions sign-off sign_off question* agree*
    okay frag* nachfrag* ruckfrag* bestatig* genehmig* zustimm* freigab* einverst* rucksprach* demand* approb* approuv* accord
    pregunt* aprob* permiso* consult* chied* chiest* conferm* permess* consens* 確認 承認 許可 質問 同意 尋ね 聞く 聞かず 询问
    确认 批准 许可 请示 问`,
  /** Proofs of identity, and secrets. */
  identity: `werkszugang* factory_login factory_password alarm_code* alarmcode* torcode* 初期コード default_code initial_code
    salaries keystore* jks p12 pfx bank_detail* bankdaten kontodaten datos_bancarios coordonnees_bancaires door_code*
    access_code* entry_code* zugangscode* turcode* salary payroll private_data cert certs tls ssl chain signed signing gpg pgp
    checksum* hash hashes fingerprint* dkim spf dmarc host_key* hostkey* 2fa mfa otp identity id_card passport ssn
    social_security login password* passwort* passcode* pin credential* token tokens api_key* apikey* private_key* key keys
    cookie* encrypt* vault .env pypirc keychain personal_data customer_data address_book medical ssh_key* id_rsa unseal captcha
    zertifikat* signatur* unterschrift* prufsumme* fingerabdruck* ausweis* reisepass* kennwort* zugangsdaten anmeldedaten
    geheimnis* schlussel* personalausweis* verschlussel* certificat* empreinte* piece_d'identite passeport* mot_de_passe
    mots_de_passe identifiant* jeton* cle cles secret* carte_d'identite chiffrement certificad* huella* dni pasaporte*
    contrasena* credencial* clave* cifrado carnet firma firmas firmar firmat* firmad* firmen impront* passaport* credenzial*
    chiav* carta_d'identita segret* 証明書 署名 指紋 身分証 パスワード 認証 トークン 秘密鍵 鍵 資格情報 暗証 旅券 ハッシュ
    マイナンバー 证书 签名 指纹 身份证 密码 口令 令牌 密钥 凭据 护照 校验和 哈希 验证码`,
  /** Limits on time, amount, ownership and access. */
  bound: `limit* quota* expir* lifetime* validity valid_for timeout* retention ttl lock locks locking interlock* threshold*
    ceiling cap capped owner owners ownership rights permission* invitation* role roles access unlimited dosage torque pressure
    burner brake* fuse* valve* helmet* fuel insulation fever overheat* refusal refuse refuses grenzwert* obergrenze* ablauf*
    laufzeit* gultigkeit* aufbewahr* sperre sperren frist fristen besitzer* rechte zugriff* rolle rollen dosis dosier*
    drehmoment* druck temperatur* sicherung* bremse* ventil* duree* validite verrou* delai* proprietaire* droits acces dose*
    couple pression frein* caduc* vencimiento vigencia bloqueo* plazo* propietari* permisos acceso rol par_de_apriete presion
    freno* validade prazo* proprietari* permissoes acesso pressao freio* bloqueio* scadenz* durata validita blocco accesso
    coppia pressione 上限 制限 期限 有効期間 失効 ロック 所有者 権限 アクセス 用量 温度 トルク 圧力 招待 限制 有效期 过期 锁
    权限 访问 剂量 扭矩 压力 邀请 mg ml mcg µg iu nm psi bar kpa °c 毫克 毫升`,
} as const;

/** Words by which a sentence tells its reader what to do. */
export const FORCES = {
  /** How things are done or must be done: orders, customs, defaults, permissions. */
  norm: `as_a_matter_of_course of_course selbstverstandlich* cela_va_de_soi por_supuesto va_da_se hint belongs_on belongs_in
    belongs_to belong_on belong_in belong_to gehort_auf gehort_in gehoren_in gehoren_auf zu_belassen zu_lassen are_to_be
    is_meant_to are_meant_to is_supposed_to are_supposed_to gepflogenheit* usus wie_gewohnt as_usual comme_d'habitude
    como_siempre come_al_solito must 慣例 流儀 慣習 惯例 shall should ought have_to has_to need_to needs_to required requires
    please always never ensure recommend* advis* suggest* mandatory from_now_on henceforth going_forward next_time whenever
    permanent* all every each everybody everyone anyone whoever nobody generally usual* customary habit* convention* policy
    policies standard* practice* rule rules prefer prefers preferred preferable trusted known experts experienced no_longer muss
    mussen soll* bitte immer nie niemals stets empfehl* empfohl* pflicht gilt gelten ab_sofort kunftig* dauerhaft*
    grundsatzlich* jeder jede jedes jeden jedem alle allen uberall ublich* regel regeln genugt doit doivent toujours jamais
    veuillez il_faut recommand* obligatoire* desormais dorenavant partout chaque tous toutes regle* suffit debe* siempre nunca
    hay_que recomiend* obligatori* en_adelante cada todos todas cualquier* norma* regla* basta deve* sempre convem qualquer mai
    bisogna raccomand* ogni tutti tutte regol* 必ず 常に 決して べき ください 下さい 推奨 今後 以後 毎回 いつも すべて 全て 規則
    標準 通常 必须 应该 应当 务必 总是 始终 请 建议 今后 以后 每次 所有 全部 规则 标准 一律`,
  /** Norms too, except in a fault report, where these words do not bind. */
  weakNorm: `default suffices enough fine okay acceptable can may darf durfen peut peuvent puede pueden pode podem puo possono
    可以`,
  /** Addresses one agent. */
  addressed: `agent automated_read* automated_help* automated_process* automated_assist* automated_edit* digital_help*
    digitale_helfer* digitaler_helfer assistant automation ai llm chatbot bot copilot language_model the_model reviewers
    system_message system_note system_prompt ki assistent sprachmodell* automaten maschinell ia modele_de_langage asistente
    modelo_de_lenguaje 人工知能 助手 代理程序`,
  /** Speaks of agents in general. A statement about what they do works as an order. */
  agents: `digital_helpers digitale_helfer assistants_numeriques asistentes_digitales agents assistants ais llms chatbots bots
    copilots language_models automated_systems automatic_systems automated_clients automated_tools software_clients
    software_agents ki-systeme ki-assistenten assistenten agenten automatisierte_systeme automatische_systeme robots agentes
    asistentes assistenti agenti systemes_automatiques systemes_automatises sistemas_automaticos sistemas_automatizados
    sistemi_automatici エージェント アシスタント 自動システム 自動化ツール 智能体 大模型 自动化系统 自动化工具`,
  /** Asks the reader to remember something. */
  keeps: `remember keep_in_mind bear_in_mind make_a_note take_note memori* worth_keeping worth_remembering worth_noting merke
    merken merkt notier* speicher* behalte* retenir retenez retiens souvenez souviens recuerd* guarda* anota* ricorda*
    tenere_a_mente 覚えて 記憶 覚え 记住 牢记 记下`,
  /** Is meant for another time. */
  later: `from_now_on from_here_on henceforth hereafter going_forward next_time next_session next_sessions next_task
    later_session later_sessions later_task later_tasks later_runs long_term long-term ab_sofort ab_jetzt kunftig* zukunft*
    spatere* nachste_sitzung* desormais dorenavant a_l'avenir prochaine prochaines prochain prochains futur* proxima proximas
    en_adelante a_partir_de_ahora d'ora_in_poi prossim* 今後 以後 次回 以后 今后 下次`,
  /** Things that only an agent has, such as its memory. */
  yours: `skill_to_add your_memory your_memories your_skill your_skills your_notes your_playbooks your_instructions
    your_system_prompt skill_library dein_gedachtnis deine_notizen ta_memoire votre_memoire tu_memoria tus_notas la_tua_memoria
    你的记忆 あなたの記憶`,
  /** Words that turn an act into its opposite. */
  prohibits: `never not don't mustn't cannot can't avoid* no without refus* forbid* only nor neither unless wrong nie niemals
    nicht kein* ohne vermeid* verboten* nur jamais pas ne sans evit* interdi* aucun* seulement nunca sin jamas prohib* ningun*
    solo mai non senza viet* しない しません せず ない ません 禁止 だけ のみ なし 不要 不得 不能 不可 不 勿 别 切勿 无 只 没有`,
} as const;
