// Asks before a page with unsaved changes is left, by a link, the browser's buttons or the closing of the tab.
import { useEffect } from "preact/hooks";
import { confirm } from "./dialog.tsx";

export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    let mayLeave = false;
    const onNavigate = (event: NavigateEvent) => {
      if (mayLeave || !event.cancelable || event.destination.url === location.href) return;
      event.preventDefault();
      const { url } = event.destination;
      confirm({
        title: "Leave without saving?",
        text: "What you have changed here and not saved is lost.",
        action: "Leave",
        isDanger: true,
        run: async () => {
          mayLeave = true;
          location.href = url;
        },
      });
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    // A browser without it asks at the closing of the tab only.
    const { navigation } = globalThis as { navigation?: Navigation };
    navigation?.addEventListener("navigate", onNavigate);
    window.addEventListener("beforeunload", onUnload);
    return () => {
      navigation?.removeEventListener("navigate", onNavigate);
      window.removeEventListener("beforeunload", onUnload);
    };
  }, [isDirty]);
}
