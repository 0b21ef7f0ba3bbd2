// SPDX-License-Identifier: MIT

const WIDTH = 72
const HEIGHT = 20
const PAD = 2
const BASE = HEIGHT - PAD
/** A line of no length with a round cap: a dot of this size. */
const DOT_SIZE = 3.5

export type SparklineProps = { values: readonly (number | null)[]; className?: string | undefined }

/** A trend beside its number, which is the text of it. A gap stays a gap, over the time's baseline. */
export function Sparkline({ values, className }: SparklineProps) {
  const { lines, dots } = sparkPaths(values)
  return (
    <svg className={className} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={`M0 ${BASE + 1.5}H${WIDTH}`} stroke="var(--fs-line)" />
      <path d={lines} fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
      <path d={dots} stroke="currentColor" strokeWidth={DOT_SIZE} strokeLinecap="round" />
    </svg>
  )
}

/** Neighbours make a line; a value between two gaps is a dot. */
export function sparkPaths(values: readonly (number | null)[]): { lines: string; dots: string } {
  const max = Math.max(0, ...values.filter((value) => value !== null))
  const step = (WIDTH - 2 * PAD) / Math.max(1, values.length - 1)
  let lines = ''
  let dots = ''
  values.forEach((value, index) => {
    if (value === null) return
    const x = (PAD + index * step).toFixed(1)
    const y = (BASE - (max === 0 ? 0 : value / max) * (BASE - PAD)).toFixed(1)
    const follows = (values[index - 1] ?? null) !== null
    const goesOn = (values[index + 1] ?? null) !== null
    if (follows) lines += `L${x} ${y}`
    else if (goesOn) lines += `M${x} ${y}`
    else dots += `M${x} ${y}h0`
  })
  return { lines, dots }
}
