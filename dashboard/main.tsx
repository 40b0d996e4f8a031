// The page's entry: asks who is signed in, and shows the app. Chat, with which most visits begin, comes with it: one request less to wait for.
import "./pages/chat.tsx";
import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme, watchRoom } from "./data/preferences.ts";
import { loadSignIn, watchSignIn } from "./data/sign-in.ts";

applyTheme();
watchRoom();
watchSignIn();
void loadSignIn();
render(<App />, document.getElementById("app")!);
