// SPDX-License-Identifier: MIT
// FARMSTEAD_SMTP_…: the server that mail goes out through. Without a URL there is none.
import { readFileSync } from 'node:fs'

export type SmtpConfig = {
  host: string
  port: number
  /** TLS from the first byte on; else the server is asked for it. */
  isTls: boolean
  /** Shown as the sender. */
  from: string
  /** null: it takes mail of whoever reaches it. */
  signIn: { user: string; password: string } | null
}

type Read = (name: string) => string | undefined
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }
/** One, without a name beside it, and with nothing that would mean more in a mailto: address. */
const ADDRESS = /^[^\s@<>,;:"()[\]\\?%]{1,64}@[\p{L}\p{N}.-]{1,253}$/u

export const isMailAddress = (text: string) => ADDRESS.test(text)

export function smtpConfig(read: Read, problems: string[]): SmtpConfig | null {
  const given = read('FARMSTEAD_SMTP_URL')
  const from = read('FARMSTEAD_SMTP_FROM')
  const user = read('FARMSTEAD_SMTP_USER')
  const file = read('FARMSTEAD_SMTP_PASSWORD_FILE')
  if (given === undefined) {
    if (from !== undefined || user !== undefined || file !== undefined) {
      problems.push(
        'FARMSTEAD_SMTP_URL must be set for mail to be sent: the mail server, such as smtps://mail.example.org',
      )
    }
    return null
  }
  const url = URL.parse(given)
  const isPlain = url !== null && /^\/?$/.test(url.pathname) && !url.search && !url.hash
  const port = PORTS[url?.protocol ?? '']
  if (!url?.hostname || port === undefined || !isPlain || url.username || url.password) {
    problems.push(
      'FARMSTEAD_SMTP_URL must be smtps://HOST or smtp://HOST, with a port where it is not 465 or 587, and without a user or password: those are FARMSTEAD_SMTP_USER and FARMSTEAD_SMTP_PASSWORD_FILE',
    )
  }
  if (from === undefined || !isMailAddress(from)) {
    problems.push(
      `FARMSTEAD_SMTP_FROM must be the address that mail comes from, such as farm@example.org, got "${from ?? ''}"`,
    )
  }
  if ((user === undefined) !== (file === undefined)) {
    problems.push('FARMSTEAD_SMTP_USER and FARMSTEAD_SMTP_PASSWORD_FILE must be set together')
  }
  return {
    host: (url?.hostname ?? '').replace(/^\[|\]$/g, ''),
    port: Number(url?.port || port || 0),
    isTls: url?.protocol === 'smtps:',
    from: from ?? '',
    signIn: user === undefined ? null : { user, password: passwordFrom(file, problems) },
  }
}

function passwordFrom(path: string | undefined, problems: string[]): string {
  if (path === undefined) return ''
  try {
    const password = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (password !== '') return password
    problems.push(`FARMSTEAD_SMTP_PASSWORD_FILE names an empty file, ${path}`)
  } catch {
    problems.push(`FARMSTEAD_SMTP_PASSWORD_FILE names a file that cannot be read, ${path}`)
  }
  return ''
}
