// The forms in which platforms write what Markdown says. Names only; core/channels/render/ writes them.

/**
 * `html`: Telegram's tags. `matrix`: HTML of Matrix. `email`: HTML of a message. `mrkdwn`: Slack's. `whatsapp`: its four marks, Google Chat's
 * too. `markdown`: CommonMark as it is, but for images, which become links, and HTML, which becomes words (Mattermost, GitHub, Teams, Feishu cards,
 * DingTalk). `discord`: its Markdown. `plain`: no marks.
 */
export type Flavour =
  | "html"
  | "matrix"
  | "email"
  | "mrkdwn"
  | "whatsapp"
  | "google-chat"
  | "markdown"
  | "discord"
  | "plain";
