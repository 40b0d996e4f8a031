// Patterns that are not sentences: commands, addresses, markup, and fixed phrases of languages without spaces. Read by
// scanner.ts. Gaps are outside groups, so that no text makes a pattern slow (gaps.ts); what lies between gaps is
// bounded.
import type { ScanCategory, Severity } from "./finding.ts";
import { type GappedForm, toGapped, toHeads } from "./gaps.ts";

export interface Form {
  pattern: string;
  category: ScanCategory;
  severity: Severity;
  inNote: Severity;
  reason: string;
  /** Matches wherever one of `forms` may begin. */
  heads: RegExp;
  forms: GappedForm[];
  /** An exception: no finding if this matches from the beginning of the match. */
  unless: RegExp | null;
  /** Matched against the original text only, not against decoded views. */
  isMarkup: boolean;
}

const SECRET_FILE = String.raw`(?:\.ssh\b|\.gnupg\b|\.aws\b|\.mozilla\b|id_rsa|id_ed25519|\.aws\/credentials|\.netrc|\.npmrc|\.git-credentials|\.kube\/config|wallet\.dat|\/etc\/shadow|\/etc\/passwd|(?<![\w.])\.env(?![.\w]))`;
/** The rest of an opening tag and the words after it. An empty box that a script fills hides nothing. */
const SHOWN_TEXT = String.raw`[^>]{0,200}>\s{0,20}[^<\s][^<]{15}`;
const SHELL = String.raw`(?:sudo\s+)?(?:\/bin\/|\/usr\/bin\/(?:env\s+)?)?(?:ba|z|da|k)?sh\b`;
const PRIVATE = String.raw`(?:base64|conversation|chat|profile|memory|memories|secret|history|password|credential|env(?:ironment)?\b|context|transcript|everything|notes|system.?prompt|user.?(?:data|info)|private|api.?key|token|answer|summary|message|dump|content)`;

type FormRow = [pattern: string, severity: Severity, inNote: Severity, reason: string, ...sources: string[]];

/**
 * Exceptions: an example has a placeholder instead of a key (`>> authorized_keys`), and adding one's own key is not an
 * attack.
 */
const UNLESS: Partial<Record<string, RegExp>> = {
  planted_key: /^[^\n]{0,140}(?:\.\.\.|<|your|(?:their|his|her) own )/i,
};

/** An address that is not given as a package index (`-i`, `--registry`): companies have their own. */
const NO_INDEX = String.raw`(?<!(?:\s-i|--(?:extra-)?index-url|--registry|--source)(?:\s{1,4}|=)["'\x60]?)https?:\/\/`;

export const FORMS: readonly Form[] = [
  toForms("exfiltration", false, [
    [
      "upload_secret",
      "critical",
      "critical",
      "sends a secret out in one command",
      String.raw`\b(?:curl|wget|nc|ncat|http|Invoke-WebRequest|iwr)\b[^\n]{0,200}(?:-d|--data|-F|--form|-T|--upload-file|--post-(?:file|data)|-Body)[^\n]{0,100}(?:\$\((?:env|printenv|set|export)\b|[\x60](?:env|printenv)\b|\$\(\s{0,8}cat\b|${SECRET_FILE})`,
      String.raw`(?:(?<![\w/-])(?:env|printenv)\b(?!\s*=)|${SECRET_FILE})[^\n|]{0,60}\|[^\n]{0,80}\b(?:curl|wget|nc|ncat)\b`,
      String.raw`\b(?:requests\.post|urlopen|fetch|axios\.post|http\.request|urllib\.request\.Request)\s*\([^\n]{0,160}(?:dict\(os\.environ|os\.environ\s*[,)}]|os\.environ\.copy|JSON\.stringify\(process\.env|process\.env\s*[,)}]|${SECRET_FILE})`,
      String.raw`\b(?:scp|rsync|sftp|rclone|aws\s+s3\s+cp|gsutil\s+cp)\b[^\n]{0,80}${SECRET_FILE}[^\n]{0,80}(?:@|:\/\/|:)`,
    ],
    [
      "secret_in_address",
      "high",
      "high",
      "puts private things into an address",
      String.raw`https?:\/\/[^\s)"'<>{}$]{1,200}[?&/][\w.-][\w.-]{0,39}=\$\((?:cat|env|printenv|whoami|hostname)`,
      String.raw`https?:\/\/[^\s)"'<>{}$]{1,200}[?&/][\w.-][\w.-]{0,39}=<[^>\n]{0,60}(?:summary|conversation|memory|secret|prompt|history|profile|password|key)[^>\n]{0,60}>`,
      String.raw`https?:\/\/[^\s)"'<>{}$]{1,200}[?&/][\w.-][\w.-]{0,39}=(?:\{|%7B|\[)[^}\]\n]{0,60}(?:base64|conversation|profile|secret|memory|history|prompt|credential|password|everything|transcript|env\b)[^}\]\n]{0,60}(?:\}|%7D|\])`,
      String.raw`!\[[^\]\n]{0,100}\]\(https?:\/\/[^\s)]{1,200}[?&/=](?:\{|<|\[|\$|%7B)[^)\n]{0,120}${PRIVATE}`,
      String.raw`\b(?:nslookup|dig|ping|resolve|lookup)\b[^\n]{0,60}\$\((?:whoami|hostname|id|env|cat|printenv|base64|uname)\b`,
      String.raw`\$\((?:whoami|hostname|id|env|cat|printenv|base64)\b[^)\n]{0,80}\)\.[\w$().-]{0,80}\.[a-z]{2}[^\n]{0,80}\b(?:nslookup|dig|dns|resolve)\b`,
      String.raw`\b(?:nslookup|dig|host|ping)\b[^\n]{0,40}\$\([^\n)]{0,100}\)[^\n]{0,40}\.`,
    ],
    [
      "image_with_query",
      "medium",
      "high",
      "has an image carry words to a host",
      String.raw`!\[[^\]\n]{0,100}\]\(https?:\/\/[^\s)]{1,200}[?&]\w{1,40}=[^)\n]{0,200}\)`,
    ],
    [
      "read_secret",
      "medium",
      "high",
      "reads a secret file",
      String.raw`\b(?:cat|less|head|tail|base64|xxd|strings|type|Get-Content)\s{1,10}(?:-\S{1,40}\s{1,10})?[~\w./-]{0,60}(?:\.ssh\/id_\w+(?!\w|\.pub)|id_(?:rsa|ed25519)(?!\w|\.pub)|\.aws\/credentials|\.netrc|\/etc\/shadow|\.env(?![.\w]))`,
    ],
    [
      "steals_store",
      "high",
      "high",
      "reads the stores of browsers or wallets",
      String.raw`(?:Login Data|Cookies|Local State|wallet\.dat|logins\.json|key4\.db|find-generic-password\s+-w|dump-keychain)\b[^\n]{0,120}\b(?:curl|post|upload|send|sqlite3|cp|use\s+it)\b`,
    ],
  ]),
  toForms("encoded", false, [
    [
      "decode_to_shell",
      "critical",
      "critical",
      "runs a command that is written so that nobody can read it",
      String.raw`\bbase64\s+(?:-d|-D|--decode|-di)\b[^\n]{0,80}\|\s*${SHELL}`,
      String.raw`\b(?:xxd\s+-r|rev|gunzip|zcat)\b[^\n|]{0,60}\|\s*${SHELL}`,
      String.raw`\bopenssl\s+(?:enc|base64)\s[^\n|]{0,40}-d\b[^\n|]{0,60}\|\s*${SHELL}`,
      String.raw`\btr\s[^\n|]{3,140}\|\s*${SHELL}`,
      String.raw`\beval\b[^\n]{0,40}\b(?:base64\s+(?:-d|-D|--decode)|atob)\b`,
      String.raw`\b(?:exec|eval|Function|system|popen)\s*\([^\n]{0,60}(?:b64decode|atob|fromhex|frombase64string|unhexlify|decompress|rot_?13)\b`,
      String.raw`\bpowershell(?:\.exe)?\b[^\n]{0,80}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20}`,
      String.raw`\bbase64\s+(?:-d|-D|--decode)[^\n]{0,40}(?:&&|;|\))[^\n]{0,40}\b(?:sh|bash|python3?|chmod\s\+x)\b`,
    ],
  ]),
  toForms("execution", false, [
    [
      "remote_to_shell",
      "medium",
      "high",
      "runs what an address answers",
      String.raw`\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:${SHELL}|(?:sudo\s+)?(?:python3?|node|perl|ruby|php)\b)`,
      String.raw`(?:\b(?:ba|z)?sh\s+-c|\beval|\bsource|\b(?:ba|z)?sh\s+<|\bpython3?\s+-c)["'(<\s]{0,8}\$?[(\x60]\s{0,8}(?:curl|wget)\b`,
      String.raw`\b(?:iex|Invoke-Expression)\b[^\n]{0,80}(?:DownloadString|Invoke-WebRequest|iwr|irm|Invoke-RestMethod)`,
      String.raw`\b(?:irm|iwr|Invoke-RestMethod|Invoke-WebRequest)\b[^\n|]{0,200}\|\s*(?:iex|Invoke-Expression)\b`,
      String.raw`\b(?:exec|eval)\s*\([^\n]{0,40}(?:requests\.get|urlopen|fetch)\s*\(`,
    ],
    [
      "installs_from_address",
      "medium",
      "high",
      "installs a package from an address instead of a registry",
      String.raw`\b(?:npx|npm\s+i(?:nstall)?|pnpm\s+(?:add|dlx)|pip3?\s+install|uvx|pipx\s+(?:run|install)|gem\s+install)\b[^\n]{0,60}${NO_INDEX}`,
    ],
    [
      "stranger_to_shell",
      "critical",
      "critical",
      "runs what an unnamed or unprotected host answers",
      String.raw`\b(?:curl|wget)\b[^\n|]{0,160}(?:https?:\/\/)?(?:\d{1,3}\.){3}\d{1,3}(?!\d)[^\n|]{0,120}\|\s*(?:sudo\s+)?(?:\w{1,20}\/){0,3}(?:ba|z|da)?sh\b`,
      String.raw`\b(?:curl|wget)\b[^\n|]{0,160}(?:https?:\/\/)?(?:\d{1,3}\.){3}\d{1,3}(?!\d)[^\n|]{0,120}(?:&&|;)[^\n]{0,80}(?:chmod|\bsh\b|bash|\.\/)`,
      String.raw`\$\((?:curl|wget)\b[^\n)]{0,160}(?:\d{1,3}\.){3}\d{1,3}(?!\d)`,
      String.raw`\b(?:curl|wget)\b[^\n|]{0,80}(?:pastebin\.com|glot\.io|rentry\.co|transfer\.sh|0x0\.st|hastebin|bit\.ly|tinyurl\.com|paste\.ee|ngrok|webhook\.site)[^\n|]{0,120}\|\s*${SHELL}`,
    ],
  ]),
  toForms("persistence", false, [
    [
      "planted_profile",
      "high",
      "critical",
      "has a command run at each start",
      String.raw`(?:\b(?:curl|wget)\b|\b(?:ba)?sh\s+-c\b|\bpython3?\s+-c\b|\bbase64\b|\/dev\/tcp|\bnohup\b)[^\n]{0,160}\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)\b`,
    ],
    [
      "planted_key",
      "critical",
      "critical",
      "lets a stranger's key in",
      String.raw`(?:>>?|\btee\b|\bappend\b|\badd\b)[^\n]{0,100}authorized_keys\b`,
      String.raw`authorized_keys\b[^\n]{0,40}\b(?:ssh-(?:rsa|ed25519)\s+AAAA)`,
    ],
    [
      "planted_job",
      "high",
      "critical",
      "has a fetched command run again and again",
      String.raw`\*\s{1,8}\*\s{1,8}\*\s{1,8}\*\s[^\n]{0,160}\b(?:curl|wget|nc|python3?\s+-c|base64)\b`,
      String.raw`(?:\b(?:curl|wget|base64)\b)[^\n]{0,160}\|\s*crontab\b`,
    ],
  ]),
  toForms("control", false, [
    [
      "reverse_shell",
      "critical",
      "critical",
      "opens the machine to somebody outside",
      String.raw`\/dev\/tcp\/\S{4}`,
      String.raw`\b(?:nc|ncat|netcat)\b[^\n]{0,60}\s-[a-z]{0,4}e\s{0,8}["']?\/?(?:\w{1,20}\/)?(?:ba|z)?sh\b`,
      String.raw`\bmkfifo\b[^\n]{0,120}\b(?:nc|ncat|netcat|telnet|openssl)\b`,
      String.raw`\bsocket\b[^\n]{0,200}\b(?:pty\.spawn|dup2|subprocess\.(?:call|Popen)\(\[?["']\/bin)`,
      String.raw`\bsocat\b[^\n]{0,100}\bexec\b`,
      String.raw`\bNet\.Sockets\.TCPClient\b`,
    ],
    [
      "skips_prompts",
      "medium",
      "high",
      "runs an agent without its approvals",
      String.raw`--dangerously-skip-permissions\b|--yolo\b|--dangerously-bypass-approvals\S{0,20}`,
    ],
    [
      "privilege",
      "medium",
      "high",
      "widens rights for good",
      String.raw`\bNOPASSWD\s*:`,
      String.raw`\bchmod\s+(?:-R\s+)?(?:u?\+s\b|[0-7]?777\s+\/(?:\s|etc|bin|usr|$)|4755)`,
      String.raw`\bspctl\s+--master-disable|\bxattr\s+-(?:c|d|cr|rd)\s[^\n]{0,40}quarantine|\bsetenforce\s+0|\bAdd-MpPreference\s+-Exclusion|\bSet-MpPreference\s+-Disable`,
    ],
  ]),
  toForms("destruction", false, [
    [
      "wipes_disk",
      "high",
      "critical",
      "wipes what cannot be brought back",
      String.raw`\brm\s{1,8}(?:-\w{1,20}\s{1,8}){0,3}(?:--no-preserve-root\s{1,8})?(?:\/(?:\s|\*|$|["'\x60])|~\/?(?:\s|\*|$|["'\x60;&])|\$\{?HOME\}?\/?(?:\s|\*|$|["'\x60]))`,
      String.raw`\bmkfs(?:\.\w+)?\s+\/dev\/|\bdd\s+if=\/dev\/(?:zero|u?random)\s+of=\/dev\/|:\(\)\s*\{\s*:\|:&\s*\};:|>\s*\/dev\/sd[a-z]\b`,
      String.raw`\bformat\s+c:|\bdel\s+\/[sqf]\s[^\n]{0,20}c:\\|\brd\s+\/s\s+\/q\s+c:`,
    ],
    [
      "deletes_by_force",
      "medium",
      "high",
      "deletes by force outside of a build",
      String.raw`\brm\s+-(?:rf|fr|r\s+-f)\s+(?:~\/|\/(?!tmp\b)|\$HOME\/|\.git\b|\*)`,
      String.raw`\bgit\s{1,8}push\s{1,8}(?:\S{1,80}\s{1,8}){0,3}(?:--force(?!-with-lease)|-f)\b`,
      String.raw`\bDROP\s+(?:TABLE|DATABASE|SCHEMA)\s+\w`,
      String.raw`\bgit\s+(?:reset\s+--hard|clean\s+-\w{0,4}f\w{0,4}d\w{0,4})\b[^\n]{0,80}\b(?:and|then|&&)\b`,
    ],
  ]),
  toForms("credentials", false, [
    [
      "plain_secret",
      "medium",
      "high",
      "holds a secret in plain words",
      String.raw`\b(?:password|passwort|passphrase|secret|token|api\s?key|pin)\b[^.\n]{0,40}\b(?:is|are|=|:)\s*["'\x60]?(?=[^\s"'\x60]{0,40}\d)(?=[^\s"'\x60]{0,40}[a-z])(?=[^\s"'\x60]{0,40}[-!@#$%^&*_])[^\s"'\x60{}<>$(/][^\s"'\x60{}<>()/]{7}`,
      String.raw`\b(?:password|passwort|passphrase)\s+["'\x60]?(?=[^\s]{0,40}\d)(?=[^\s]{0,40}[a-z])(?=[^\s]{0,40}[-!@#$%^&*_])[^\s"'\x60{}<>$(/]{8}`,
      String.raw`\b(?:login|user(?:name)?|admin|root)\b[^.\n]{0,24}\s?[/:]\s?(?=[^\s]{0,40}\d)(?=[^\s]{0,40}[a-z])(?=[^\s]{0,40}[!@#$%^&*])[^\s"'\x60{}<>$(/]{8}`,
      String.raw`-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----\s{0,4}[A-Za-z0-9+/]{40}`,
      String.raw`\b(?:AKIA[0-9A-Z]{16}|ghp_[A-Za-z0-9]{36}|xox[bp]-\d{8,}-[\w-]{10,})\b`,
    ],
  ]),
  toForms("override", false, [
    [
      "chat_markup",
      "high",
      "high",
      "speaks with the voice of the system",
      String.raw`<\|(?:im_start|im_end|system|start_header_id)\|>`,
      String.raw`<<SYS>>|\[\/?INST\]`,
      String.raw`<\/?system>\s{0,10}[^<\s]`,
      String.raw`(?:^|\n)(?:(?-i:\s{0,4}[#*\[<({-]{0,4}\s?(?:SYSTEM|ADMIN(?:ISTRATOR)?|DEVELOPER|ROOT)\s?(?:MESSAGE|PROMPT|NOTICE|UPDATE|OVERRIDE|INSTRUCTIONS?|ALERT|COMMAND)?)|[\[<({]{1,2}\s?(?:system|admin|developer|root)(?:\s(?:message|prompt|notice|update|override))?)\s?[\])}>*]{0,4}\s?[:>\]]\s?[^\n]{0,80}\b(?:you|your|must|ignore|override|now|new|proceed|grant(?:ed)?|disable|allow(?:ed)?|obey)\b`,
      String.raw`<(?-i:INFORMATION|IMPORTANT|SECRET|INSTRUCTIONS?|ADMIN|OVERRIDE)>[^<]{0,300}\b(?:you|must|before|read|send|do)\b`,
      String.raw`\b(?:important|urgent)\s+message\s+(?:from|for)\s+(?:me|the\s+(?:system|developer|admin|assistant)|you)\b`,
      String.raw`\b(?:SYSTEM|ADMIN|SECURITY|ROOT)\s+OVERRIDE\b`,
      String.raw`(?:===|---|###|\*\*\*)\s{0,3}(?:END|BEGIN|START)\s+(?:OF\s+)?(?:SYSTEM\s+)?(?:PROMPT|USER|INPUT|CONTEXT|INSTRUCTIONS?|DOCUMENT)\b`,
    ],
    [
      "jailbreak",
      "high",
      "high",
      "talks the agent out of its limits",
      String.raw`\bdo\s+anything\s+now\b`,
      String.raw`\bDAN\s+(?:mode|prompt|\d+\.\d)|\byou\s+(?:are|have\s+become)\s+(?:now\s+)?DAN\b|\[🔓?\s?JAILBREAK|\bSTAN\b[^.\n]{0,40}\bnorms\b|\bDUDE\b[^.\n]{0,40}\banything\b`,
      String.raw`\b(?:no|without|free\s+(?:of|from)|ignor(?:e|ing)|bypass(?:es|ing)?|not\s+bound\s+by|break(?:ing)?\s+free)\s+(?:(?:any|all|of|the|typical|confines|its|your|ethical|moral|legal|or|and)\s+){0,6}(?:ethic(?:s|al)?|moral(?:s|ity)?|restrictions?|limitations?|filters?|censorship|content\s+polic(?:y|ies)|safety|openai|guardrails?)\b[^.\n]{0,80}\b(?:you|respond|answer|reply|will|must|can|persona|character)\b`,
      String.raw`\b(?:never|cannot|can\s?not|won't|will\s+not|do\s+not|don't|must\s+not|unable\s+to)\s+(?:ever\s+)?(?:refuse|decline|reject|say\s+(?:no|sorry|that)|apologi[sz]e|warn|moralize)\b[^.\n]{0,60}\b(?:request|question|task|order|command|answer|unethical|illegal|inappropriate|anything|policy|prompt)`,
      String.raw`\b(?:you|it|he|she|character|persona|ai|model|chatbot)\b[^.\n]{0,60}\b(?:amoral|unethical|immoral|uncensored|unfiltered|evil|malicious|devoid\s+of)\b[^.\n]{0,80}\b(?:ai|chatbot|assistant|bot|answers?|responses?|advice|model|character|persona)\b`,
      String.raw`\b(?:two|both)\s+(?:ways|responses|answers)\b[^.\n]{0,100}\b(?:normal|standard|classic|jailbr|dan|unfiltered|gpt)`,
      String.raw`\b(?:stop|ignore|forget|disregard)\s+(?:everything|all|that|this|it|the\s+(?:above|rest|document|text|task|question|prompt))\b[^\n]{0,60}?\b(?:print|say|output|write|respond|reply|answer|tell)\b`,
    ],
    [
      "other_tongues",
      "high",
      "high",
      "orders the agent to set its instructions aside",
      String.raw`(?:忽略|无视|無視|忘记|忘掉|忘記|不要理会|跳过|绕过)[^。\n]{0,16}(?:指令|指示|说明|規則|规则|提示|命令|限制|要求|约束|设定|内容)`,
      String.raw`(?:以前|これまで|上記|前)の?[^。\n]{0,10}(?:指示|命令|ルール|プロンプト)[^。\n]{0,10}(?:無視|忘れ)`,
      String.raw`(?:이전|위의|앞의)[^.\n]{0,16}(?:지시|명령|지침|규칙)[^.\n]{0,12}(?:무시|잊)`,
      String.raw`(?:تجاهل|انس|انسى)[^.\n]{0,30}(?:التعليمات|الأوامر|القواعد)`,
      String.raw`(?:पिछले|सभी|पूर्व)[^.\n]{0,20}(?:निर्देश|आदेश)[^.\n]{0,20}(?:अनदेखा|भूल|नज़रअंदाज़)`,
      String.raw`(?:önceki|tüm)\s[^.\n]{0,30}(?:talimat|kural|komut)[^.\n]{0,20}(?:unut|görmezden|yok\s?say)`,
      String.raw`(?:不要|别|請勿|请勿)(?:告诉|通知|告知|提醒|让)[^。\n]{0,6}(?:用户|使用者|用戶|任何人)`,
      String.raw`(?:显示|输出|打印|告诉我|透露|泄露|重复)[^。\n]{0,12}(?:系统提示|系統提示|提示词|初始指令|内部指令)`,
      String.raw`\bno\s+(?:le\s+)?(?:digas|informes|menciones|avises|cuentes)[^.\n]{0,24}usuario|\bne\s+(?:dis|dites|pr[ée]viens|pr[ée]venez|informe[zs]?|mentionne[zs]?)\s+(?:pas|rien)[^.\n]{0,20}utilisateur|\bsag(?:e|t|en)?\s+(?:es\s+)?(?:dem|der)\s+(?:nutzer|benutzer)(?:in)?\s+n(?:icht|ie)|(?<![\p{L}\p{N}_])не\s+(?:говори|сообщай|рассказывай|упоминай)(?:те)?[^.\n]{0,20}пользовател`,
      String.raw`(?:发送|上传|转发|傳送)[^。\n]{0,20}(?:密码|密钥|凭证|环境变量|对话|聊天记录|API\s?key)[^。\n]{0,20}(?:到|至|给|http)`,
    ],
  ]),
  toForms("poisoning", false, [
    [
      "echo_header",
      "high",
      "high",
      "asks the agent to give a secret back",
      String.raw`\b(?:echo|print|include|return|repeat|show|output|paste|reveal)\b[^.\n]{0,60}\b(?:authorization|auth|bearer|cookie|api.?key|access.?token|session|environment\s+variables?|credentials?)\b[^.\n]{0,40}\b(?:in|into|as|with)\s+(?:your|the|each|every|any)\s+(?:next\s+|final\s+)?(?:response|reply|answer|output|message|chat|summary)`,
    ],
  ]),
  toForms("hidden", true, [
    [
      "hidden_element",
      "high",
      "critical",
      "hides words from who looks at the page",
      String.raw`<\w[^>]{0,220}\bstyle\s*=\s*["'][^"']{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity|max-height|height|width)\s*:\s*0(?:px|em|rem|%)?\s*[;"']|(?:left|top|text-indent)\s*:\s*-\d{3,})${SHOWN_TEXT}`,
      String.raw`<\w[^>]{0,220}\bstyle\s*=\s*["'](?=[^"']{0,200}(?<![-\w])color\s*:\s*(?:white|#fff|transparent|rgba\(\d+,\s?\d+,\s?\d+,\s?0\)))[^"']{0,200}(?:background(?:-color)?\s*:\s*(?:white|#fff)|transparent|font-size\s*:\s*[01]px)${SHOWN_TEXT}`,
      String.raw`<\w[^>]{0,140}\s(?:hidden|aria-hidden\s*=\s*["']true["'])(?=[\s>])${SHOWN_TEXT}[^<]{0,300}\b(?:you|run|send|ignore|execute|curl|assistant|agent|must|fetch)\b`,
    ],
    [
      "orders_in_comment",
      "high",
      "critical",
      "gives orders in a comment that no reader sees",
      String.raw`<!--(?:(?!-->)[\s\S]){0,600}?\b(?:(?:assistant|agent|ai|llm|model|system|claude|gpt)\s*[:,]|you\s+(?:must|should|will|are)\s+(?:now\s+)?(?:run|execute|fetch|send|ignore|read|to\s)|(?:run|execute)\s+\x60|curl\s|wget\s|do\s+not\s+(?:tell|mention|inform|show)|ignore\s+(?:all|any|previous|the))`,
      String.raw`<!--(?:(?!-->)[\s\S]){0,600}?\bhttps?:\/\/[^\s]{4,200}\s(?:and|then)`,
      String.raw`^\s{0,4}\[(?:\/\/|comment)\]:\s?(?:#|<>)\s?[("'][^\n]{0,200}\b(?:assistant|agent|you\s+must|ignore|execute|curl|send)\b`,
    ],
  ]),
].flat();

function toForms(category: ScanCategory, isMarkup: boolean, table: FormRow[]): Form[] {
  return table.map(([pattern, severity, inNote, reason, ...sources]) => {
    const gapped = sources.flatMap(toGapped);
    const unless = UNLESS[pattern] ?? null;
    return { pattern, category, severity, inNote, reason, isMarkup, unless, heads: toHeads(gapped), forms: gapped };
  });
}
