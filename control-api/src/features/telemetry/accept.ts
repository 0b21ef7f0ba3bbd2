// SPDX-License-Identifier: MIT
// Which of Prometheus' formats is wanted, by the request's Accept. Pure. Who names neither gets text.

/** Whether protobuf is named, and liked no less than text. */
export function wantsProtobuf(accept: string | undefined): boolean {
  const named = (accept ?? '').split(',').map(rangeOf)
  const weightOf = (isIt: (range: Range) => boolean) =>
    Math.max(-1, ...named.filter(isIt).map(({ weight }) => weight))
  const protobuf = weightOf(
    ({ type, parameters }) =>
      type === 'application/vnd.google.protobuf' &&
      parameters.get('proto') === 'io.prometheus.client.MetricFamily' &&
      parameters.get('encoding') === 'delimited',
  )
  return protobuf > 0 && protobuf >= weightOf(({ type }) => type === 'text/plain')
}

type Range = { type: string; parameters: ReadonlyMap<string, string>; weight: number }

function rangeOf(text: string): Range {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim())
  const parameters = new Map(
    rest.map((part) => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim().toLowerCase(), value.trim().replaceAll('"', '')] as const
    }),
  )
  const weight = Number(parameters.get('q') ?? 1)
  return { type: type.toLowerCase(), parameters, weight: weight >= 0 ? weight : 0 }
}
