// SPDX-License-Identifier: MIT
// Prometheus' text format 0.0.4: pure. Only what is sent here is written, so names and labels are ours.

export type Sample = { labels?: Readonly<Record<string, string>>; value: number; suffix?: string }
export type Family = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: readonly Sample[]
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export const gauge = (name: string, help: string, value: number | null): Family => ({
  ...{ name, help, type: 'gauge' },
  // What is not known is not there: nought would be a statement.
  samples: value === null ? [] : [{ value }],
})

/** One sample for each value of a label. */
export const byLabel = (
  family: Pick<Family, 'name' | 'type' | 'help'>,
  label: string,
  values: Iterable<readonly [string, number]>,
): Family => ({
  ...family,
  samples: [...values].map(([of, value]) => ({ labels: { [label]: of }, value })),
})

export const expose = (families: readonly Family[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${escaped(help)}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${labelsText(labels)} ${value}`,
      ),
    ])
    .map((line) => `${line}\n`)
    .join('')

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
