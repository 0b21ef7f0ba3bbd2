// SPDX-License-Identifier: MIT
// The commands that make a comparison, with the names of the draft or of the report that is open. Pure.
import { parse } from 'jsonc-parser'
import type { Report } from './report-file.ts'

export type Names = { old: string; now: string; host: string | null }

/** A node on trial beside the old server listens elsewhere (docs/moving-from-nginx.md). */
const TRIAL_PORTS: Record<number, number> = { 80: 8080, 443: 8443 }
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i

export const usualNames: Names = {
  ...{ old: 'http://localhost:80', now: 'http://localhost:8080' },
  host: null,
}

export const namesOfReport = ({ servers, host }: Pick<Report, 'servers' | 'host'>): Names => ({
  ...{ old: servers.old, now: servers.new, host },
})

export function namesOfDraft(draft: string): Names {
  const { listen, sites } = membersOf(parse(draft))
  const listens = listOf(listen).filter(({ port }) => typeof port === 'number')
  const at = listens.find(({ tls }) => tls !== true) ?? listens[0]
  const hosts = listOf(sites).flatMap((site) => (Array.isArray(site.hosts) ? site.hosts : []))
  const host = hosts.find((one) => typeof one === 'string' && HOST.test(one)) ?? null
  if (at === undefined) return { ...usualNames, host }
  const port = Number(at.port)
  const scheme = at.tls === true ? 'https' : 'http'
  const trial = TRIAL_PORTS[port] ?? port + 1
  return {
    ...{ old: `${scheme}://localhost:${port}`, now: `${scheme}://localhost:${trial}` },
    host,
  }
}

type Members = Record<string, unknown>
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? { ...value } : {}
const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.map(membersOf) : [])

/** Pages of the old server become the list. */
export function listCommand({ old, host }: Names): string {
  const named = host === null ? [] : ['--header', `Host: ${host}`]
  return inShell(['farmctl', 'load', `${old}/`, '--crawl', '--save-urls', 'urls.txt', ...named])
}

export function compareCommand({ old, now, host }: Names): string {
  const named = host === null ? [] : ['--host', host]
  const words = ['farmctl', 'compare-servers', old, now, '--urls', 'urls.txt', ...named]
  return `${inShell([...words, '--json', '--markdown', 'comparison.md'])} > comparison.json`
}

/** Names of a report may be anybody's words, and these are pasted into a shell. */
const inShell = (words: readonly string[]) =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
