// SPDX-License-Identifier: MIT

const WIDTH = 72
const HEIGHT = 20
const PAD = 2

export type SparklineProps = { values: readonly (number | null)[]; className?: string | undefined }

/** A trend beside its number, which is the text of it. A gap stays a gap. */
export function Sparkline({ values, className }: SparklineProps) {
  const path = sparkPath(values)
  return (
    <svg className={className} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {path === '' ? (
        <path d={`M0 ${HEIGHT - PAD}H${WIDTH}`} stroke="var(--fs-line)" strokeDasharray="2 3" />
      ) : (
        <path d={path} fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />
      )}
    </svg>
  )
}

export function sparkPath(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null)
  const max = Math.max(...known)
  if (known.length === 0 || max <= 0) return ''
  const step = WIDTH / Math.max(1, values.length - 1)
  let path = ''
  let drawing = false
  values.forEach((value, index) => {
    if (value === null) {
      drawing = false
      return
    }
    const x = (index * step).toFixed(1)
    const y = (HEIGHT - PAD - (value / max) * (HEIGHT - 2 * PAD)).toFixed(1)
    // A lone value between gaps is a dot: a line of no length with a round cap.
    path += drawing ? `L${x} ${y}` : `M${x} ${y}h0`
    drawing = true
  })
  return path
}
