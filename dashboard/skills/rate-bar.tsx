// A success rate as a small bar: the dot is the share that succeeded, the band is where the true share lies nine times of ten.
import { formatShare } from "../components/numbers.ts";
import { toRate } from "./figures.ts";

interface RateBarProps {
  successes: number;
  failures: number;
}

const WIDTH = 72;
const HEIGHT = 10;
const DOT = 3;

export function RateBar({ successes, failures }: RateBarProps) {
  const rate = toRate(successes, failures);
  if (!rate) return null;
  const toX = (share: number) => DOT + share * (WIDTH - 2 * DOT);
  const text = `${successes} of ${successes + failures} judged uses succeeded; the true share is between ${formatShare(rate.low)} and ${formatShare(rate.high)}`;
  return (
    <span class="rate" title={text}>
      <svg class="rate-bar" width={WIDTH} height={HEIGHT} role="img" aria-label={text}>
        <rect class="rate-track" x={0} y={HEIGHT / 2 - 1} width={WIDTH} height={2} />
        <rect
          class="rate-band"
          x={toX(rate.low)}
          y={2}
          width={toX(rate.high) - toX(rate.low)}
          height={HEIGHT - 4}
          rx={3}
        />
        <circle class="rate-dot" cx={toX(rate.rate)} cy={HEIGHT / 2} r={DOT} />
      </svg>
      <span class="rate-share" aria-hidden="true">
        {formatShare(rate.rate)}
      </span>
    </span>
  );
}
