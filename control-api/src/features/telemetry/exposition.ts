// SPDX-License-Identifier: MIT
// What is shown to Prometheus, and its text format 0.0.4: pure. Only what is sent here is written, so names and labels are ours.
import { type Histogram, MIN_INDEX, SCALE } from '../../histogram/histogram.ts'

export type Labels = Readonly<Record<string, string>>
export type Sample = { labels?: Labels; value: number }
export type Counted = { labels?: Labels; histogram: Histogram }
type Named = { name: string; help: string }
export type Family =
  | (Named & { type: 'counter' | 'gauge'; samples: readonly Sample[] })
  | (Named & { type: 'histogram'; samples: readonly Counted[] })
type Simple = Named & { type: 'counter' | 'gauge' }

export const TEXT = 'text/plain; version=0.0.4; charset=utf-8'

export const gauge = (name: string, help: string, value: number | null): Family => ({
  ...{ name, help, type: 'gauge' },
  // What is not known is not there: nought would be a statement.
  samples: value === null ? [] : [{ value }],
})

export const counter = (name: string, help: string, value: number): Family => ({
  ...{ name, help, type: 'counter' },
  samples: [{ value }],
})

/** One sample for each value of a label. */
export const byLabel = (
  family: Simple,
  label: string,
  values: Iterable<readonly [string, number]>,
): Family => ({
  ...family,
  samples: [...values].map(([of, value]) => ({ labels: { [label]: of }, value })),
})

/** Of who has nothing else to ask for: 2^-20 to 2^9 seconds. The last of our buckets also holds what is longer than its end. */
export const CLASSIC_EXPONENTS = Array.from({ length: 30 }, (_, i) => i - 20)

/** How many took at most so long: for each of the bounds. Each is the upper bound of one of our buckets, so nothing is guessed. */
export function cumulative({ zeroCount, offset, counts }: Histogram): number[] {
  let [seen, at] = [zeroCount, 0]
  return CLASSIC_EXPONENTS.map((exponent) => {
    const end = exponent * 2 ** SCALE - offset
    for (; at < Math.min(end, counts.length); at++) seen += counts[at] ?? 0
    return seen
  })
}

export const ZERO_THRESHOLD_SECONDS = 2 ** (MIN_INDEX / 2 ** SCALE)

export const exposeText = (families: readonly Family[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .flatMap((family) => [
      `# HELP ${family.name} ${escaped(family.help)}`,
      `# TYPE ${family.name} ${family.type}`,
      ...linesOf(family),
    ])
    .map((line) => `${line}\n`)
    .join('')

function linesOf(family: Family): string[] {
  const { name } = family
  if (family.type !== 'histogram') {
    return family.samples.map(({ labels, value }) => `${name}${braced(pairsText(labels))} ${value}`)
  }
  return family.samples.flatMap(({ labels, histogram }) => {
    const own = pairsText(labels)
    const more = own === '' ? '' : `${own},`
    return [
      ...cumulative(histogram).map(
        (below, i) => `${name}_bucket{${more}le="${CLASSIC_BOUNDS[i]}"} ${below}`,
      ),
      `${name}_bucket{${more}le="+Inf"} ${histogram.count}`,
      `${name}_sum${braced(own)} ${histogram.sumSeconds}`,
      `${name}_count${braced(own)} ${histogram.count}`,
    ]
  })
}

/** Always as a float, as Prometheus writes what it reads from the other format: else series would end when that changes. */
const floatText = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value))

const CLASSIC_BOUNDS = CLASSIC_EXPONENTS.map((exponent) => floatText(2 ** exponent))

const pairsText = (labels: Labels = {}): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
    .join(',')
const braced = (pairs: string) => (pairs === '' ? '' : `{${pairs}}`)

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
