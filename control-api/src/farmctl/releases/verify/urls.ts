// SPDX-License-Identifier: MIT
// Where the files of a release are to be had: which paths of a URL, and on which machines. Pure.
import { Failure } from '../../failures.ts'

/** Asked for by `url`; `at` is the machine that is asked, where it is another than the URL's host. */
export type Place = { url: URL; at: { host: string; port: number } | null; label: string }

/** Every URL on every machine. */
export function placesOf(urls: readonly string[], machines: readonly string[]): Place[] {
  if (urls.length === 0) {
    throw new Failure('Where are the files served? Say it with --url https://www.example.org')
  }
  const bases = urls.map(baseOf)
  if (machines.length === 0) return bases.map((url) => ({ url, at: null, label: url.href }))
  return bases.flatMap((url) =>
    machines.map((machine) => ({
      url,
      at: machineOf(machine, url),
      label: `${url.href} at ${machine}`,
    })),
  )
}

export function baseOf(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new Failure(`--url ${text} is no address as https://www.example.org or http://…/base`)
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

function machineOf(text: string, { protocol }: URL) {
  const url = URL.parse(`${protocol}//${text}`)
  if (url === null || url.host === '' || url.pathname !== '/' || text.includes('@')) {
    throw new Failure(
      `--at ${text} is no machine: write 192.0.2.7, [2001:db8::7] or a name, with a port or without`,
    )
  }
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port }
}

const INDEX = /(^|\/)index\.html$/

/** Below the base; an index file is also its folder's. */
export function pathsOf(path: string): string[] {
  const written = path.split('/').map(encodeURIComponent).join('/')
  return INDEX.test(path) ? [written, written.replace(/index\.html$/, '')] : [written]
}

/** Which of `all` are looked at, in order and all over it: from another beginning each time. */
export function chosenOf(all: number, most: number, random: () => number): (at: number) => boolean {
  if (all <= most) return () => true
  const every = all / most
  const first = random() * every
  // Of the steps first, first + every, …: is one in [at, at + 1)?
  return (at) => Math.ceil((at + 1 - first) / every) > Math.ceil(Math.max(at - first, 0) / every)
}
