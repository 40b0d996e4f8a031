// Times as the browser's own field for a date and a time has them: `2026-12-24T18:00`, in the reader's zone. Pure.

/** Milliseconds since 1970. NaN: it is not such a time. */
export function fromLocalTime(text: string): number {
  return new Date(text).getTime();
}

export function toLocalTime(at: number): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
