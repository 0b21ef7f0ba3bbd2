// SPDX-License-Identifier: MIT
// FARMSTEAD_OTLP_…: a collector that measurements are sent to. Without a URL there is none.
import { readFileSync } from 'node:fs'

export type OtlpConfig = {
  url: string
  /** With what lets us in. Never shown. */
  headers: Readonly<Record<string, string>>
  everySeconds: number
}

type Read = (name: string) => string | undefined
const DEFAULT_EVERY_SECONDS = 60
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\t\x20-\x7e]+$/

export function otlpConfig(
  read: Read,
  everySeconds: number | undefined,
  problems: string[],
): OtlpConfig | null {
  const [url, file] = [read('FARMSTEAD_OTLP_URL'), read('FARMSTEAD_OTLP_HEADERS_FILE')]
  if (url === undefined) {
    if (file !== undefined || everySeconds !== undefined) {
      problems.push(
        'FARMSTEAD_OTLP_URL must be set for measurements to be sent: the collector’s address, such as https://collector.example.org:4318/v1/metrics',
      )
    }
    return null
  }
  const parsed = URL.parse(url)
  if (!/^https?:$/.test(parsed?.protocol ?? '') || parsed?.username || parsed?.password) {
    problems.push(
      'FARMSTEAD_OTLP_URL must be the http:// or https:// address of a collector, whole and without a password in it, such as https://collector.example.org:4318/v1/metrics; what lets us in is in FARMSTEAD_OTLP_HEADERS_FILE',
    )
  }
  return {
    url,
    headers: file === undefined ? {} : headersFrom(file, problems),
    everySeconds: everySeconds ?? DEFAULT_EVERY_SECONDS,
  }
}

/** A line each, "Name: value". What stands there is secret, so a problem names the line alone. */
function headersFrom(path: string, problems: string[]): Record<string, string> {
  const name = 'FARMSTEAD_OTLP_HEADERS_FILE'
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    problems.push(`${name} names a file that cannot be read, ${path}`)
    return {}
  }
  const headers: Record<string, string> = {}
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const at = line.indexOf(':')
    const [key, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    if (at > 0 && NAME.test(key) && VALUE.test(value)) headers[key] = value
    else problems.push(`${name}: line ${i + 1} of ${path} is no header, as in "Name: value"`)
  }
  return headers
}
