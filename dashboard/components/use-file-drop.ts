// Files dropped anywhere on an element.
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Answers whether some are held over it now. `isOn`: it takes files. */
export function useFileDrop(
  target: RefObject<HTMLElement | null>,
  onFiles: (files: File[]) => void,
  isOn = true,
): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    if (!isOn) return undefined;
    const element = target.current!;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!element.contains(event.relatedTarget as Node | null)) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      take.current([...event.dataTransfer!.files]);
    };
    element.addEventListener("dragover", over);
    element.addEventListener("dragleave", leave);
    element.addEventListener("drop", drop);
    return () => {
      element.removeEventListener("dragover", over);
      element.removeEventListener("dragleave", leave);
      element.removeEventListener("drop", drop);
    };
  }, [isOn]);
  return isOver;
}
