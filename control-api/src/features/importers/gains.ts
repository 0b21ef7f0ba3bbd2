// SPDX-License-Identifier: MIT
// What the sites of a draft have on a node that their old server did not give them: said beside what they lose. Nothing is
// in it that the old config had.
import type { Draft } from './draft.ts'
import type { Finding } from './findings.ts'
import type { Language } from './request.ts'

/** `code` stays as it is, for programs and tests; `text` is for people. */
export type Gain = { code: string; text: string }
type Facts = {
  language: Language
  hasTls: boolean
  compresses: boolean
  /** Whether a directive of the old config begins so. */
  says: (beginning: RegExp) => boolean
}
type Row = Gain & { when?: (facts: Facts) => boolean }

const lacksHttp2 = ({ language, says }: Facts) =>
  (language === 'nginx' && !says(/^(listen .*http2|http2 on)/)) ||
  (language === 'apache' && !says(/^protocols .*\bh2\b/i))

const ROWS: readonly Row[] = [
  {
    code: 'waves',
    text: 'A change goes to a few nodes first and is watched there; then it goes on to the others, or is taken back by itself.',
  },
  {
    code: 'refused-early',
    text: 'A config that a node could not serve by, for want of a folder or a certificate, is refused before anything changes, and the one that runs stays.',
  },
  {
    code: 'history',
    text: 'Every version is kept with who made it and why, and any of them comes back in one step.',
  },
  {
    code: 'releases',
    text: 'Files can be put out as releases, whole or not at all, the same on every node, and the last one is back at once.',
  },
  {
    code: 'measured',
    text: 'Requests, bytes and statuses of each site, and where the time of an answer goes, are measured on every node, without logs being read.',
  },
  {
    code: 'slow-disk',
    text: 'A disk that is slow holds up only who waits for it: what is in memory is answered meanwhile.',
    when: ({ says }) => !says(/^aio threads/),
  },
  {
    code: 'http2',
    text: 'HTTP/2 for who speaks it, at every address with TLS.',
    when: (facts) => facts.hasTls && lacksHttp2(facts),
  },
  {
    code: 'certificates',
    text: 'Certificates can be ordered once for all nodes and are renewed by the control plane.',
    when: ({ language, hasTls }) => hasTls && language !== 'caddy',
  },
  {
    code: 'compressed-once',
    text: 'Texts are compressed once and the copies kept, by Brotli and zstd beside gzip.',
    when: ({ compresses, says }) => compresses && !says(/^(deflate|compress)\.cache-dir/),
  },
  {
    code: 'copies',
    text: 'A compressed copy beside a file (.br, .zst, .gz) is sent to who takes it.',
    when: ({ says }) => !says(/^(gzip_static|brotli_static|precompressed)\b/),
  },
  {
    code: 'hidden-files',
    text: 'A name that begins with a dot is sent to nobody, so no .git and no .env is public by accident.',
  },
]

export function gainsOf(language: Language, draft: Draft, findings: readonly Finding[]): Gain[] {
  const { listen } = draft
  const facts: Facts = {
    language,
    hasTls: Array.isArray(listen) && listen.some(({ tls }) => tls === true),
    compresses: draft.compression !== undefined,
    says: (beginning) => findings.some(({ directive }) => beginning.test(directive)),
  }
  return ROWS.filter(({ when }) => when?.(facts) ?? true).map(({ code, text }) => ({ code, text }))
}
