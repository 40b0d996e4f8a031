// The page's entry: asks who is signed in, and shows the app. The asking and the loading of the first page happen side by side.
import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme, watchRoom } from "./data/preferences.ts";
import { loadSignIn, watchSignIn } from "./data/sign-in.ts";

applyTheme();
watchRoom();
watchSignIn();
void loadSignIn();
render(<App />, document.getElementById("app")!);
