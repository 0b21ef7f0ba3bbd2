// SPDX-License-Identifier: MIT
// An answer in words, and in what two differ.
import { t } from '../../languages/t.ts'
import type { Explained, ExplainedPlace } from '../../lib/api-types.ts'
import { formatDateTime } from '../../lib/time.ts'

/** "308 to /new", "200 from /srv/www/index.html", "404". */
export function answerWords({ status, location, files }: Explained): string {
  if (location !== '') return t('{status} to {location}', { status, location })
  const [file] = files
  return status === 200 && file !== undefined
    ? t('{status} from {file}', { status, file })
    : `${status}`
}

const AS_THE_FILE = t('as the file is')
export const valueWords = (value: string | null) => value ?? AS_THE_FILE

/** '': the answer does not have it. */
export type Difference = { what: string; before: string; after: string }

/** Status and file first, then headers by name. A header that is sent twice is one text. */
export function differences(before: Explained, after: Explained): Difference[] {
  const headers = [headersOf(before), headersOf(after)] as const
  const names = [...new Set(headers.flatMap((all) => [...all.keys()]))].toSorted()
  return [
    { what: t('Status'), before: `${before.status}`, after: `${after.status}` },
    { what: t('Address'), before: before.location, after: after.location },
    { what: t('File'), before: before.files.join(', '), after: after.files.join(', ') },
    ...names
      // The address says it already.
      .filter((name) => name !== 'Location')
      .map((what) => ({
        what,
        before: headers[0].get(what) ?? '',
        after: headers[1].get(what) ?? '',
      })),
  ].filter((one) => one.before !== one.after)
}

function headersOf({ headers }: Explained): Map<string, string> {
  const found = new Map<string, string>()
  for (const { name, value } of headers) {
    const before = found.get(name)
    const said = valueWords(value)
    found.set(name, before === undefined ? said : `${before}, ${said}`)
  }
  return found
}

/** Where it stands: "line 12", "the override of the group eu". */
export const placeWords = ({ line, from }: ExplainedPlace): string =>
  from ?? (line > 0 ? t('line {line}', { line }) : t('not in the text'))

/** "v3, ana, 21 Nov"; '': nobody knows. */
export function sinceWords({ since }: ExplainedPlace): string {
  if (since === null) return ''
  const { number, author, at, isOlder } = since
  return isOlder
    ? t('before v{number}', { number })
    : `v${number}, ${author}, ${formatDateTime(at)}`
}

const RULES: Record<string, string> = {
  redirects: t('Redirect'),
  rewrites: t('Rewrite'),
  access: t('Access rule'),
  auth: t('Password'),
  maintenance: t('Maintenance'),
  signedUrls: t('Signed links'),
  hotlink: t('Links from elsewhere'),
  tryFiles: t('Places to look'),
  aliases: t('Alias'),
  redirectToHttps: t('To HTTPS'),
  redirectFile: t('Redirects in bulk'),
  headers: t('Header rule'),
  expires: t('Caching rule'),
  downloads: t('Download'),
  preload: t('Preload'),
  storedCodings: t('Stored compressed'),
  securityHeaders: t('Security headers'),
  hsts: 'HSTS',
}

/** "Redirect 3" for /sites/0/redirects/2. */
export function ruleWords(pointer: string): string {
  const [, , , option = '', index] = pointer.split('/')
  const name = RULES[option] ?? option
  return index === undefined ? name : `${name} ${Number(index) + 1}`
}
