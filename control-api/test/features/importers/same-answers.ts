// SPDX-License-Identifier: MIT
// The configs of a corpus as they stand on this machine, and the requests that go to an old server and to a node.
// FARMSTEAD_IMPORT_REQUESTS says how many for each config; forty if it is not said.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../../src/features/importers/findings.ts'
import type { GivenFile } from '../../../src/features/importers/source.ts'
import { ask, type Case, differences, PATHS, type Ports, unexplained } from './differential.ts'

const REQUESTS = Number(process.env.FARMSTEAD_IMPORT_REQUESTS ?? 40)
const AT_ONCE = 8

/** Differences of their answers that the report does not tell. */
export async function untold(
  draft: string,
  findings: readonly Finding[],
  allowed: readonly [string, string][],
  ports: { old: Ports; node: Ports },
): Promise<string[]> {
  const all = casesOf(draft)
  const step = Math.max(1, Math.floor(all.length / REQUESTS))
  const compare = async (one: Case) => {
    const isTls = one.port === 443
    const key = isTls ? '443' : '80'
    const [a, b] = await Promise.all([
      ask({ ...one, port: ports.old[key] }, isTls),
      ask({ ...one, port: ports.node[key] }, isTls),
    ])
    const found = differences(one, a, b, ports)
    return unexplained(found, one, { old: a, node: b }, findings, allowed).map(
      ({ aspect, old: was, node: is }) =>
        `${one.method} ${key} ${one.host}${one.path} ${JSON.stringify(one.headers)}: ${aspect} ${was.slice(0, 100)} → ${is.slice(0, 100)}`,
    )
  }
  const asked = all.filter((_, i) => i % step === 0)
  const wrong: string[] = []
  for (const some of inParts(asked, AT_ONCE))
    wrong.push(...(await Promise.all(some.map(compare))).flat())
  return wrong
}

const inParts = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  )

export function textsOf(path: string): Map<string, string> {
  if (!statSync(path).isDirectory()) return new Map([['site.conf', readFileSync(path, 'utf8')]])
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((one) =>
    statSync(join(path, one)).isFile(),
  )
  return new Map(files.map((one) => [one, readFileSync(join(path, one), 'utf8')]))
}

/** Those that a config serves from. */
export function foldersIn(texts: ReadonlyMap<string, string>): string[] {
  const found = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/\/srv\/([\w/]+)/g)].map(([whole]) => whole),
  )
  const folders = [...new Set(found)].sort()
  return folders.includes('/srv/hosts/')
    ? ['/srv/hosts/one.sites.example.org', ...folders.filter((one) => one !== '/srv/hosts/')]
    : folders
}

export function filesBelow(folder: string): GivenFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

export const moved = (draft: string, dir: string, from: Ports, to: Ports) =>
  draft
    .replaceAll(`"port": ${from['80']}`, `"port": ${to['80']}`)
    .replaceAll(`"port": ${from['443']}`, `"port": ${to['443']}`)
    .replaceAll('/var/log/farmstead', dir)
    .replaceAll('/var/cache/farmstead', `${dir}/copies`)
    // Passwords and certificates that are to be made before a draft is rolled out.
    .replaceAll(/"\/etc\/farmstead\/[^"]+\.htpasswd"/g, `"${dir}/srv/club.htpasswd"`)
    .replaceAll(
      /\{ "name": "[^"]+" \}/g,
      `{ "chainFile": "${dir}/ssl/example.pem", "keyFile": "${dir}/ssl/example.key" }`,
    )

/** Every path at every host, each time with another header or method. */
function casesOf(draft: string): Case[] {
  const hosts = [...draft.matchAll(/"hosts": \[([^\]]*)\]/g)]
    .flatMap(([, list = '']) => [...list.matchAll(/"([^"]+)"/g)].map(([, host = '']) => host))
    .map((host) => host.replace(/^\*\./, 'one.').replace(/^\*$/, 'unknown.test'))
  const ports = draft.includes('"tls": true') ? [80, 443] : [80]
  const variants: Pick<Case, 'method' | 'headers'>[] = [
    { method: 'GET', headers: {} },
    { method: 'GET', headers: { 'accept-encoding': 'gzip' } },
    { method: 'HEAD', headers: {} },
    { method: 'GET', headers: { range: 'bytes=2-5' } },
    { method: 'GET', headers: { 'if-modified-since': 'Sun, 24 Nov 2024 10:20:30 GMT' } },
    { method: 'GET', headers: { referer: 'https://elsewhere.test/' } },
    {
      method: 'GET',
      headers: { authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` },
    },
    { method: 'POST', headers: {} },
  ]
  // In an order that a part of them is of all kinds.
  const all = variants.flatMap((variant, v) =>
    PATHS.flatMap((path) =>
      hosts.flatMap((host) => ports.map((port) => ({ path, host, port, ...variant, v }))),
    ),
  )
  return all.toSorted((a, b) => mark(a) - mark(b))
}

const mark = ({ path, host, port, v }: Case & { v: number }) => {
  let hash = port + v * 7919
  for (const character of host + path) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003
  return hash
}
