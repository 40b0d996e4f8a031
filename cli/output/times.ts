// Times as a person reads them in a table. Pure.

/** `2026-03-01 09:30`, in the time zone of this machine. */
export function formatTime(at: number | null): string {
  if (at === null) return "";
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
