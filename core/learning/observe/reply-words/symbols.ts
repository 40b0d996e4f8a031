// Symbols that mean the same in every language. See lexicon.ts.
import type { Lexicon } from "./lexicon.ts";

export const SYMBOLS: Partial<Lexicon> = {
  praise: "👍, ❤, 💯, 🎉, 🔥, 🚀, 👏, 😍, 🥰, 🤩, 🙌, 💪, 👌, 😘, 🥳, ✅, 🏆, ⭐, 💖, 💚, 💙, 🫶, +1",
  liked: "😊, 🙂, 😀, 😃, 😄, 😁, 😎, ☺, 🙏, 🎊, ✨, :), :-), <3, 😌",
  complaint: "👎, 🙄, 😡, 🤬, 🤦, 😠, 💩, ❌, 😤, 🤮, 🤢, 😒, 🤡, -1, 🫠, 😑, 🙃",
  grumble: "😞, ☹, 🙁, 😢, 😭, 😕, 🤨, :(, :-(, :/, 😬, 😩, 😫",
  idle: "🤷, 🤔",
};
