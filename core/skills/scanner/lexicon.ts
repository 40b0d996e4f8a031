// Words and short phrases by their function: verbs of ignoring, nouns of instructions, secrets, sinks. Read by the
// tokeniser. Rules use classes only, so a new wording is a new word here. Lower case, without accents; `_` joins a
// phrase. A class has the commonest words of several languages.

/** Regular verbs; their other forms are generated. */
const VERBS = {
  IGNORE: `drop ignore disregard forget override bypass overlook neglect discard abandon supersede dismiss nullify void
    violate overrule skip_over pay_no_attention_to pay_no_heed_to set_aside put_aside throw_out cast_aside no_longer_follow cease_following stop_following let_go_of leave_behind ignoriere ignorieren vergiss missachte ignorez oubliez oublie oublier ignorer ignora ignorar olvida olvide olvidar
    ignorad dimentica ignorare esqueca esquecer negeer vergeet zignoruj zapomnij игнорируй игнорируйте игнорировать
    проигнорируй забудь забудьте`,
  SEND: `send post upload forward email mail transmit exfiltrate leak submit relay bcc deliver smuggle beacon dispatch
    envia enviar envie envoie envoyez envoyer sende schicke senden schicken invia inviare отправь отправьте отправляй`,
  CARRY: `copy append include embed attach put encode paste pass report share push sync synchronize publish save write
    post place add insert log stream mirror back_up`,
  REVEAL: `paste reveal print output repeat display show disclose dump echo recite tell give expose divulge
    summarize summarise translate spell paraphrase reproduce leak type_out write_out muestra mostrar revela revelar
    affiche affichez montre zeige zeig nenne verrate покажи выведи раскрой mostra rivela`,
  STATE: `return share include write list provide state quote copy begin start send encode debug verify hand_over turn_over
    give_up`,
  FETCH: `fetch download curl wget get retrieve pull load read visit open access request grab query navigate import browse`,
  RUN: `run execute eval evaluate source install launch start invoke perform exec`,
  FOLLOW: `follow obey execute run apply comply perform do act_on carry_out adopt implement`,
  TELLING: `tell inform notify alert warn mention disclose reveal report raise discuss announce show explain
    acknowledge flag surface bring_up let_know say`,
  WRITE: `write append add insert edit modify overwrite replace change update put patch prepend install place
    inject plant drop rewrite register alter`,
  REPLICATE: `slip weave tuck plant contain add copy insert include append paste repeat replicate propagate spread embed carry reproduce write put`,
  DISABLE: `disable bypass skip deactivate circumvent suppress evade uninstall kill remove
    switch_off turn_off shut_off work_around weaken whitelist deaktiviere desactiva desactive отключи отключите`,
  DESTROY: `delete erase wipe destroy remove purge shred drop truncate overwrite corrupt format rm encrypt
    borra borrar elimina supprime supprimez losche loschen удали удалите`,
  TRANSFER: `transfer wire pay withdraw remit send donate move swap stake deposit`,
  BUY: `buy purchase order subscribe checkout book`,
  RECOMMEND: `recommend suggest promote prefer favor favour advertise endorse praise push advise mention rank`,
  POLL: `ask listen look check poll fetch visit contact call ping beacon query connect report retrieve read pull request`,
  REMEMBER: `remember note memorize memorise store save keep_in_mind recall treat consider regard record`,
  DECODE: `decode decipher decrypt unscramble deobfuscate de-obfuscate unreverse`,
} as const;

/** Words in all their forms. */
const WORDS = {
  NEG: `not never don't dont do_not must_not mustn't should_not shouldn't cannot can't won't without avoid no refuse
    nobody neither nie nicht niemals kein keine jamais ne nunca jamas не никогда`,
  PRIOR: `previous prior above earlier preceding your system original initial existing old former all any every
    everything these those other current default built-in foregoing past given my_previous
    anteriores previas anterior todas todos precedentes precedente vos tes toutes tous vorherigen bisherigen
    alle deine ihre obigen vorigen precedenti tutte предыдущие прежние все свои eerdere wszystkie`,
  EARLIER: `previous prior above earlier preceding your system original initial existing former built-in foregoing past given
    my_previous`,
  IN_TEXT: `appear_in appear_inside appear_within found_in found_inside found_within contained_in contained_within embedded_in
    embedded_within hidden_in hidden_inside hidden_within inside_the within_the inside_a within_a`,
  INSTR: `guidance configuration instruction instructions rule rules prompt prompts guideline guidelines directive directives orders
    constraints restrictions limitations safeguards guardrails policy policies commands programming system_prompt
    training instrucciones reglas ordenes indicaciones consignes instructions_precedentes regles anweisungen regeln
    vorgaben befehle istruzioni regole instrucoes regras инструкции инструкций инструкцию правила указания
    instructies instrukcje protocols filters ethics safety_measures content_policy programming`,
  TOLD: `whatever_you_were_told what_you_were_told all_you_were_told were_told you_have_been_told told_before you_know you_were_given you_have_learned said_before i_said
    was_said came_before before_this`,
  EVERYTHING: `what_i_say every_word everything all_of_it whatever anything all_that all_of_that`,
  YOU: `you your you're yourself u ya`,
  PERSON: `user users person human owner operator developer customer client
    admin administrator victim usuario utilisateur nutzer benutzer utente пользователю пользователя
    principal user's reader maintainer maintainers reviewer reviewers boss`,
  THIS: `this it that these those anything about instruction instructions step steps action again activity message rule`,
  SECRETLY: `silently secretly covertly quietly stealthily discreetly surreptitiously hidden invisibly unnoticed
    in_secret heimlich silenciosamente discretement тихо незаметно`,
  CONCEAL_FROM: `hide conceal withhold keep_it_from keep_this_from keep_from keep_hidden keep_secret keep_quiet mask
    disguise obscure cover_up keep_it_secret keep_this_secret`,
  FROM: `from`,
  AT: `from at via off through`,
  STRONG_SECRET: `environment_variables env_variables env_vars environment_variable ssh_key ssh_keys private_key private_keys seed_phrase
    seed_phrases recovery_phrase mnemonic keychain browser_profile browser_cookies session_cookies cookies saved_passwords
    user_message last_user_message user's_message latest_message user's_question user_input firefox_profile chrome_profile
    conversation_so_far chat_so_far last_message last_question user's_name user's_email user_said summary_of_the_chat
    conversation_history chat_history chat_log chat_logs message_history browsing_history conversation system_prompt
    hidden_prompt user_profile user_data user's_profile personal_data personal_information stored_credentials credentials
    credential access_keys aws_keys memory_contents your_memory session_transcript transcript transcripts outgoing_mail
    incoming_mail outgoing_mails all_mail all_emails inbox contact_list address_book everything_you_know
    everything_you_have_learned what_you_know know_about_the_user secrets password_store environment_dump printenv
    passwords api_credentials login_details credit_card credit_cards card_number ssn bank_details wallet_keys wallet_file
    private_conversation password_database source_code proprietary_code health_records deploy_keys contrasenas
    mots_de_passe passworter zugangsdaten пароли ключи identifiants credenciales confidential_data
    sensitive_data sensitive_files sensitive_information confidential_information all_files home_directory clipboard
    wallet_addresses service_account kubeconfig signing_key signing_keys master_password`,
  WEAK_SECRET: `api_key api_keys apikey api_token api_tokens password passwords passphrase secret secret_key access_token auth_token
    access_key bearer_token session_token passwort contrasena пароль`,
  TOKENS: `token tokens cookie keys authorization`,
  USE: `use using used try reuse login log_in sign_in authenticate`,
  PART: `sentence sentences word words line lines character characters letter letters paragraph token part half section`,
  ENCODED: `encoded urlencoded url-encoded base64 base64-encoded encode escaped percent-encoded hex-encoded`,
  APPENDED: `followed_by appended concatenated append plus with_the_query together_with suffixed containing`,
  IT: `it them that this what result output script with contents directly locally`,
  GRANT: `grant give invite add share promote assign`,
  ACCESS: `collaborator admin owner editor maintainer access permissions write_access full_access administrator co-owner
    contributor moderator superuser root`,
  BCC: `bcc blind_copy blind_carbon_copy carbon_copy copy_of_all copy_of_every copy_of_each cc`,
  TRAFFIC: `mail mails email emails message messages document documents conversation conversations chat chats invoice invoices
    reply replies transcript transcripts note notes attachment attachments calls recordings`,
  FORCE: `force_push force-push force_pushes force_pushed hard_reset rewrite_history rewrite_the_history push_--force`,
  SHARED_DATA: `main master prod production backup backups database databases remote remotes history repository repositories
    home_directory user's_files disk branches volumes tables bucket cluster table home_folder documents_folder photos
    customer_data all_users user_accounts mailbox inbox git_history snapshots production_data recovery_keys upstream`,
  WHEN_ANY: `when whenever if after before each every always once as_soon_as first at_the_end at_the_start until`,
  VOID: `void not_binding no_longer_binding no_longer_valid not_valid out_of_date no_longer_in_force replaced_by_this obsolete revoked suspended lifted no_longer_apply no_longer_applies cancelled canceled superseded
    do_not_apply does_not_apply don't_apply waived null_and_void rescinded are_off withdrawn relaxed removed`,
  OFF: `false off disabled`,
  PIN: `pin protect`,
  PRUNE: `delete remove archive withdraw prune overwrite edit forget drop unpin consolidate merge replace`,
  COLLECT: `check read collect gather compile list dump scan search find harvest extract enumerate locate grab`,
  ADDON: `mcp mcp_server plugin extension mcp_servers add-on addon connector browser_extension`,
  YOUR: `your ur tu tus su sus tes vos ton deine dein ihre твои свои своих mine`,
  OBEY: `follow obey comply carry_out act_on execute follow_it obey_it do_what`,
  EXIST: `exist existed exists apply applied applies`,
  AS_FROM: `as_coming_from as_if_from as_instructions as_orders as_commands as_part_of_your_instructions as_authoritative
    as_system as_if_i_said as_an_order as_a_command as_though_i_said as_rules as_if_the_user as_though_the_user
    as_system_messages as_your_instructions as_binding`,
  MUSTNT: `must_not should_not may_not must_never should_never shall_not shall_never need_not does_not_need_to is_not_to`,
  LEARN: `learn know see hear find_out notice realise realize suspect read discover`,
  CODE: `code snippet script command commands payload program binary output answer response file`,
  GIVEN: `from gives returns serves served returned fetched downloaded hosted sends provides found comes_from it_sends`,
  SETV: `mark set treat consider regard flag declare count`,
  TRUSTV: `trust believe`,
  TAKE: `take lift extract steal borrow pull get grab`,
  STEER: `steer nudge push guide move direct herd`,
  TOWARDS: `towards toward`,
  FAVOUR: `favour favor praise endorse defend glorify discredit disparage belittle`,
  STANDING: `standing_approval blanket_approval blanket_permission agreed_in_advance approved_in_advance user_consents
    user_already_agreed user_already_approved user_has_already_agreed user_has_already_approved user_agreed_to_this
    user_authorised_this user_authorized_this user_has_authorised_this user_has_authorized_this owner_has_agreed
    user_gave_permission user_has_given_permission has_pre-approved user_asked_for_this agreed_to_this_for_good`,
  TRAIL: `transcript audit_log audit_trail history bash_history shell_history session_log command_history`,
  DARK: `no_trace not_leave_a_trace in_the_dark nobody_notices no_one_notices no_one_sees nobody_sees unnoticed_by without_a_trace under_the_radar
    cover_your_tracks behind_their_back out_of_sight leave_no_trace leaves_no_trace not_notice never_notices nobody_finds_out
    never_finds_out no_one_knows nobody_knows not_be_noticed goes_unnoticed stays_hidden`,
  NOTICE: `notice notices find_out finds_out suspect suspects realise realises realize realizes discover discovers be_aware
    become_aware becomes_aware`,
  LET: `let make keep`,
  KNOW: `know aware informed posted`,
  OMIT: `omit leave exclude strip drop keep`,
  RECORD: `summary report log logs history changelog answer transcript notes record commit_message diff`,
  OUT_OF: `out out_of from`,
  SHELLS: `sh bash zsh shell python python3 node powershell interpreter terminal perl ruby php`,
  PIPE: `pipe piping piped fetch download curl wget pull load get feed`,
  CREATE: `create set_up schedule configure make register add install write put append drop place insert enable`,
  STARTUP: `post-commit pre-commit post-checkout pre-push post-merge git_hook git_hooks hook cron crontab cron_job cron_entry cronjob
    scheduled_task launch_agent login_item startup_script systemd systemd_service systemd_unit startup_folder at_login at_boot
    startup_item daemon autostart boot_script`,
  APPROVE: `accept approve allow grant confirm permit accepted approved allowed granted authorize authorise answer_yes`,
  PERMISSION: `permission permissions request requests prompt prompts command commands tool_calls tool_call actions approvals
    confirmations pending shell_commands dialogs pull_requests change_requests`,
  OTHER: `other every each all any another further next new`,
  ARTEFACT: `skill skills readme agent agents repository repo repositories memory memories prompt prompts session sessions
    file files document documents commit commits reply replies message messages subagent assistant assistants project projects
    note notes template templates email emails profile`,
  STORE: `cookies keychain browser_profile firefox_profile chrome_profile saved_passwords password_manager password_store wallet_file
    credential_store browser_cookies saved_logins keyring session_cookies`,
  COMPETITOR: `competitor competitors competitor's rivals rival alternatives competing other_products other_vendors`,
  DISPARAGE: `insecure unsafe unreliable broken inferior scam dangerous discontinued worse outdated untrustworthy
    negatively poor bad fraudulent`,
  CLAIM: `say claim tell state answer insist assert respond reply`,
  CAUTION: `be_asked asked_first asks_before ask_before asks_first ask_first asked_before confirm_with needs_approval
    requires_approval require_approval ask_for_approval ask_the_user ask_me ask_them requires_confirmation after_approval
    with_approval wants_to_approve asks_for_confirmation`,
  /** A person or a rule watches over the exception. */
  SUPERVISED: `break-glass break_glass breakglass signs_off sign_off signed_off incident_commander change_ticket two-person
    re-enable re-enables re-enabled re-enabling reenable enable_it_again enables_it_again on_again_afterwards audited`,
  /** Where nothing is lost that somebody needs. */
  TEST_PLACE: `staging sandbox scratch ephemeral throwaway test_environment test_environments dev_environment
    development_environment preview_environment preview_environments test_database test_databases fixture_database`,
  SSH_KEY: `ssh-rsa ssh-ed25519 ssh-dss ecdsa-sha2-nistp256 ecdsa-sha2-nistp384 ecdsa-sha2-nistp521 public_key public_keys deploy_key`,
  SERVER: `analytics_server external_server remote_server our_server collection_server logging_server audit_server
    tracking_server telemetry_server external_endpoint remote_endpoint maintenance_endpoint attacker external_address c2
    command_server collector analytics_endpoint monitoring_server external_service third_party_server`,
  REMOTE: `endpoint webhook remote_server external_server our_server my_server collector collection_server
    attacker telegram discord pastebin ftp analytics_server external_endpoint remote_host external_address
    external_service remote_endpoint third_party c2 command_server logging_server maintenance_endpoint
    analytics_endpoint audit_server s3_bucket backup_server monitoring_server tracking_server telemetry_server`,
  RESULT_DATA: `results data files contents content file documents output findings metrics report information`,
  OUTPUT_PLACE: `response reply answer output message chat comment summary next_message next_response issue commit`,
  WRITE_TO: `to into in at onto end`,
  PROMPT: `system_prompt prompt initial_prompt instructions system_instructions initial_instructions guidelines
    hidden_prompt system_message preprompt pre_prompt first_prompt prompts initialization configuration_prompt
    system_prompts developer_message internal_instructions internal_rules base_prompt opening_instructions rules configuration setup instruction_set
    custom_instructions secret_instructions anweisungen instrucciones prompt_del_sistema инструкции consignes`,
  HIDDEN_PROMPT: `system_prompt hidden_prompt initial_prompt system_message system_instructions hidden_instructions
    secret_instructions initial_instructions developer_message internal_instructions original_instructions
    prompt_del_sistema`,
  HIDDEN_ADJ: `your hidden system initial original full entire above confidential secret internal exact verbatim
    preceding previous complete whole underlying tus deine vos твои suas`,
  ABOVE_TEXT: `text_above words_above everything_above above_text sentences_above content_above
    above_this everything_before lines_above conversation_above message_above all_the_text_above above_instructions
    anything_above`,
  THE_ABOVE: `the_above all_above all_of_the_above`,
  WHAT_IS: `what_is what's what_are what_were what_was whats`,
  UNRESTRICTED: `unrestricted uncensored unfiltered jailbroken jailbreak amoral immoral unethical evil
    dan no_restrictions without_restrictions no_limitations no_rules no_filter no_filters without_limitations without_any_restrictions
    without_any_limitations without_filters without_rules no_ethical no_moral no_morals
    no_ethics without_ethics do_anything_now anything_now no_longer_bound not_bound unbound unshackled
    no_longer_restricted developer_mode god_mode debug_mode maintenance_mode admin_mode dev_mode sudo_mode
    unbounded bypass_safety no_censorship without_censorship anti_gpt free_of_restrictions free_from_restrictions no_guidelines
    no_content_policy no_boundaries opposite_mode rule_free lawless no_limits never_refuse cannot_refuse
    can_not_refuse will_not_refuse won't_refuse free_from_all_restrictions broken_free
    without_limits without_any_limits sin_restricciones sans_restrictions sans_restriction sans_limites ohne_einschrankungen ohne_beschrankungen
    без_ограничений senza_restrizioni sem_restricoes`,
  ROLE_VERB: `you_are_now act_as act_like pretend pretending roleplay role_play role-play
    impersonate play_the_role take_on_the_role from_now_on you_will_be you_are_going_to you_are_about_to become
    emulate embody respond_as answer_as stay_in_character in_character switch_to_you_are you_are_a you_are_an
    immersed_into hypothetical persona eres_ahora actua_como agis_comme tu_es_maintenant
    du_bist_jetzt ab_jetzt ты_теперь you_have_become you_shall_be your_new_role your_new_name`,
  MODE: `developer_mode god_mode jailbreak_mode dan_mode debug_mode maintenance_mode admin_mode dev_mode sudo_mode
    unrestricted_mode root_mode diagnostic_mode`,
  MODE_ON: `enabled activated enter entering engage activate now on switch unlocked initiate`,
  AUTHORITY: `as_your_developer your_developer your_creator your_creators as_the_administrator as_an_administrator
    your_administrator i_am_the_developer i_am_your i_am_an_admin i_am_the_admin i_am_an_administrator as_your_creator
    anthropic_employee openai_employee openai_engineer anthropic_engineer system_administrator it_department it_support
    security_team compliance_team compliance_review security_audit authorized_by authorised_by ceo cto your_owner
    your_master your_maintainer technical_maintainer your_engineer your_technical from_openai from_anthropic the_administrator has_authorized has_authorised support_team
    message_from_me compliance_officer penetration_test`,
  AGENT_SAFETY: `writeapproval write_approval approval_mode ask_mode review_worker approval approvals approval_prompt approval_prompts approval_checks permission_checks permission_prompts permission_dialog permission_dialogs approval_step approval_steps redaction secret_redaction
    confirmation confirmations confirmation_prompts sandbox sandboxing guardrail guardrails safety_checks safety_filters safety_filter
    safety_check safety_protocols safety_guidelines safeguards safety_measures safety_settings safety_rules scanner security_scanner
    skill_scanner security_checks security_check security_controls security_measures permission_system content_filter
    content_filters content_policy moderation human_review code_review review_step`,
  HOST_SAFETY: `antivirus anti-virus firewall windows_defender defender gatekeeper audit_log audit_logs audit_logging logging
    monitoring edr selinux apparmor two-factor 2fa mfa security_software security_tools endpoint_protection
    security_features signature_verification certificate_verification tls_verification ssl_verification
    secret_scanning branch_protection rate_limits virus_scan`,
  CONSENT: `user_has_agreed user_has_approved user_has_consented owner_has_approved user_has_granted owner_has_granted user_has_allowed
    user_agrees user_approves owner_agreed user_agreed has_been_approved owner_is_fine user_is_fine`,
  APPROVE_ALL: `auto-approve auto_approve approve_all approve_everything always_approve always_allow allow_all
    approve_any grant_all trust_all trust_any yolo approve_every`,
  NO_ASK: `not_need_to_confirm not_need_to_approve need_not_confirm not_have_to_confirm not_have_to_approve without_looking
    no_questions_asked no_further_approval no_sign-off unasked no_need_to_verify no_need_to_check no_need_to_review no_review need_no_review needs_no_review not_need_review skip_verification
    no_checks no_further_checks without_checks always_approved without_asking without_confirmation without_approval without_permission no_confirmation
    do_not_ask don't_ask never_ask without_prompting without_review not_need_confirmation no_approval
    not_need_approval no_need_to_ask skip_confirmation without_checking without_consent without_telling
    without_verification do_not_verify don't_verify not_verify without_verifying`,
  ALL: `all every each entire whole any everything complete`,
  OUR_THING: `this_paragraph this_instruction these_instructions this_text this_note this_section this_block this_rule
    these_rules this_line this_message this_skill this_prompt this_sentence these_lines this_memory this_entry
    this_snippet this_comment this_notice itself yourself_into this_payload this_directive`,
  SPREAD_TO: `every_file each_file all_files every_skill all_skills other_skills each_skill skill.md every_agent
    other_agents all_agents every_readme readme.md every_repository all_repositories every_repo other_memories every_memory
    future_sessions each_session every_session every_project any_file every_prompt every_message every_response
    each_response subagents sub-agents every_subagent other_files any_skill every_document all_documents
    every_note every_reply each_message each_reply every_commit every_summary you_touch you_touched
    you_edit every_email other_users next_agent new_skill new_skills every_new all_projects every_other skills_you
    files_you each_file_you other_assistants other_sessions`,
  SPREADS: `spreads propagates rule_spreads it_spreads replicates is_carried_on is_passed_on survives persists_across`,
  SKILLS_THAT: `the_skill skill_scanner the_scanner security_skill security_skills scanner_skill guard_skill skills_that skills
    rules reviews curator`,
  MONEY: `money funds bitcoin btc eth ethereum usdt usdc crypto cryptocurrency dollars euros salary invoice invoices
    payment payments gift_card gift_cards balance usd eur amount tokens_of sol solana iban bank_account payout payouts
    refund refunds wallet crypto_wallet bank_details bank_transfer savings xmr monero dogecoin donation`,
  PAYEE: `iban wallet_address bank_account account_number account routing_number payout_address payment_address
    wallet payee recipient beneficiary bank_details recipient_address deposit_address payment_details`,
  AFFILIATE: `affiliate affiliate_tag affiliate_link affiliate_links affiliate_code referral referral_link referral_code
    referral_links tracking_tag promo_code sponsor partner_link partner_code`,
  CRITICAL_DATA: `files backups backup database databases disk home_directory repository repositories history
    production everything tables branch branches all_data data hard_drive drive partition directory folder logs
    snapshots volumes records documents emails mailbox system_files workspace dateien archivos fichiers файлы
    all_files user_table`,
  OFTEN: `every_minute every_hour every_day each_session every_session start_of_each start_of_every periodically hourly daily
    minutes hours seconds regularly at_startup on_startup session_start before_each before_every at_the_start
    heartbeat continuously each_turn every_turn at_boot each_morning first_thing on_boot weekly
    each_time every_time session_begins each_run each_day once_an_hour`,
  ORDERS: `instructions commands tasks orders directives next_steps new_rules further_instructions payload
    payloads what_it_says whatever_it_says new_tasks new_instructions latest_instructions next_command contents_as`,
  AS_ORDERS: `whatever_it_says what_it_says its_instructions the_instructions instructions_there its_contents its_content
    its_orders the_commands the_steps it_says they_say instructions_inside instructions_found instructions_in_it
    steps_there steps_you_find the_steps steps_listed listed_there commands_in embedded_instructions what_is_written instructions_from as_instructions its_rules
    instructions_it any_instructions all_instructions the_orders commands_it`,
  TRUSTED: `trusted trustworthy verified authoritative safe legitimate whitelisted reliable official allowlisted
    pre-verified vetted`,
  SOURCE_NOUN: `source domain site server host sender address website endpoint package registry repository
    publisher tool skill vendor mcp plugin script`,
  ALWAYS: `always invariably every_time whenever regardless in_all_cases exclusively only first no_matter_what`,
  BIAS: `whatever_the first_in no_matter_what only_reliable only_choice only_safe single_best in_every_comparison as_the_best as_best regardless instead over_others over_all no_matter above_all best_option only_option
    competitors competitor alternatives rivals even_if sponsored best_choice number_one number_1 first_choice
    not_mention never_mention superior over_any negatively`,
  FROM_NOW: `from_now_on henceforth going_forward from_this_point for_all_future in_all_future for_the_rest_of
    a_partir_de_ahora desormais ab_sofort отныне from_here_on effective_immediately until_further_notice`,
  TOOL_USE: `before_using before_calling using_this_tool using_any_tool calling_this_tool this_tool any_tool when_calling
    when_using tool_call tool_calls other_tools each_tool every_tool before_any_tool all_tools before_invoking
    every_call`,
  ARGUMENT: `argument parameter field sidenote as_context query input first_query parameters arguments hint the_note feedback_field query_string`,
  WHEN_USER: `when_the_user whenever_the_user if_the_user when_a_user if_a_user when_user if_user whenever_user when_asked
    if_asked when_someone if_someone when_anyone if_anyone`,
  LINK_WORDS: `image link url markdown_image img pixel tracking_pixel query dns subdomain query_parameter query_string
    hyperlink footnote reference lookup hostname`,
  ARCHIVE_WORD: `zip archive rar 7z tar.gz package .zip exe installer dmg msi binary executable`,
  ARCHIVE_PASS: `pass password passcode passwort pwd`,
  TERMINAL: `terminal powershell console command_prompt cmd shell command_line`,
  RECONSTRUCT: `rot13 base64 hex rot47 caesar cipher morse scrambled encoded obfuscated reversed binary reverse backwards`,
  DESCRIBES: `attacker attackers attacker's adversary adversarial malicious injection injections e.g
    detect detects detecting detected detection flagged flagging attempt attempts attempting
    phishing suspicious indicator indicators warn_if watch_for
    look_for looks_for red_flag red_flags beware threat threats vulnerability vulnerabilities
    vulnerable exploits might_try may_try tries_to try_to trying_to refuse refuses
    prevents preventing mitigation mitigations untrusted social_engineering
    jailbreaks hijack anti-pattern anti-patterns antipattern prohibited disallowed
    denylist blocklist dangerous harmful unsafe violation violations
    attack attacks test_case test_cases fixture fixtures malware sanitize
    攻击 恶意 注入 检测 ataque angriff атака`,
  DESCRIBES_BELOW: `example examples such_as pattern patterns flag flags block blocks blocked reject rejects exploit
    exploits payloads risk risks risky mistake mistakes wrong bad forbidden deny denied prevent protects scan scans
    scenario scenarios abuse against could_be check_for checks_for critical_issue never don't deception reckless`,
  SECURITY_TOPIC: `security secure audit audits auditing scanner pentest penetration vulnerability vulnerabilities threat threats
    attack attacks attacker malicious injection exploit exploits jailbreak jailbreaking hardening malware phishing
    detection adversarial red_team red-team sanitize credential credentials exfiltration suspicious safety
    encryption encrypted vetting vet compliance risk`,
} as const;

export type WordClass = keyof typeof VERBS | keyof typeof WORDS | ShapeClass;

/** Classes that the tokeniser finds by their shape. */
type ShapeClass =
  | "URL"
  | "EMAIL"
  | "SECRET_PATH"
  | "ENV_FILE"
  | "OPEN_URL"
  | "TMP_PATH"
  | "AGENT_FILE"
  | "STARTUP_FILE"
  | "LOGIN_FILE"
  | "SCRIPT_URL"
  | "BARE_HOST_URL"
  | "PASTE_URL"
  | "ACCOUNT"
  | "AMOUNT";

const IRREGULAR: [string, WordClass][] = [
  ["sent", "SEND"],
  ["ran", "RUN"],
  ["told", "TELLING"],
  ["telling", "TELLING"],
  ["putting", "WRITE"],
  ["written", "WRITE"],
  ["paid", "TRANSFER"],
  ["forgotten", "IGNORE"],
  ["overridden", "IGNORE"],
  ["switching off", "DISABLE"],
  ["turning off", "DISABLE"],
];

/** Word → classes. The words of a phrase are joined by one space. */
export const LEXICON: ReadonlyMap<string, readonly WordClass[]> = toLexicon();
/** Word → length in words of the longest phrase that begins with it. */
export const PHRASE_WORDS: ReadonlyMap<string, number> = toPhraseWords();

function toLexicon(): Map<string, WordClass[]> {
  const lexicon = new Map<string, WordClass[]>();
  const put = (word: string, name: WordClass) => {
    const known = lexicon.get(word) ?? [];
    if (!known.includes(name)) lexicon.set(word, [...known, name]);
  };
  for (const [name, words] of Object.entries(VERBS)) {
    for (const verb of split(words)) for (const form of inflect(verb)) put(form, name as WordClass);
  }
  for (const [name, words] of Object.entries(WORDS)) for (const word of split(words)) put(word, name as WordClass);
  for (const [word, name] of IRREGULAR) put(word, name);
  return lexicon;
}

function split(words: string): string[] {
  return words
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll("_", " "));
}

/** Regular English forms. For other languages and phrases these are forms that never occur. */
function inflect(verb: string): string[] {
  if (verb.includes(" ")) return [verb];
  const stem = verb.endsWith("e") ? verb.slice(0, -1) : verb;
  const soft = /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}i` : stem;
  const doubled = /[^aeiou][aeiou][bdgmnpt]$/.test(verb) ? verb + verb.at(-1) : stem;
  const third = /(?:s|x|ch|sh|[^aeiou]y)$/.test(verb) ? `${soft}es` : `${verb}s`;
  return [verb, third, `${soft}ed`, `${doubled}ed`, `${stem}ing`, `${doubled}ing`];
}

function toPhraseWords(): Map<string, number> {
  const longest = new Map<string, number>();
  for (const phrase of LEXICON.keys()) {
    const words = phrase.split(" ");
    longest.set(words[0]!, Math.max(longest.get(words[0]!) ?? 1, words.length));
  }
  return longest;
}
