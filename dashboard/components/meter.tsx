// How much of a limit is used, as a bar with its numbers in words.

interface MeterProps {
  /** What is measured, for screen readers. */
  label: string;
  value: number;
  /** 0: there is no limit, and no bar. */
  limit: number;
  /** The numbers as a sentence, shown beside the bar: "1,240 of 2,200 characters". */
  text: string;
}

/** Beyond these shares the bar says that little is left, and that nothing is. */
const NEAR = 0.8;
const FULL = 1;

export function Meter({ label, value, limit, text }: MeterProps) {
  const share = limit > 0 ? Math.min(1, value / limit) : 0;
  const tone = share >= FULL ? "bad" : share >= NEAR ? "warn" : "accent";
  return (
    <div class="meter">
      {limit > 0 && (
        <div
          class="meter-bar"
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(value, limit)}
          aria-valuetext={text}
        >
          <span class={`meter-fill meter-${tone}`} style={{ width: `${share * 100}%` }} />
        </div>
      )}
      <p class="muted small">{text}</p>
    </div>
  );
}
