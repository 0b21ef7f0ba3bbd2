// SPDX-License-Identifier: MIT
// What the console's listener shows now. Where it comes from is looked at again and again, so that a renewal takes nobody's
// hand; what cannot be served is told once, and the one before stays.
import type { ServerCertificates } from '../certificates/server-certificate.ts'
import type { ConsoleTls } from '../environment/tls.ts'
import { certificateFiles } from './files.ts'
import type { Served } from './source.ts'
import { storedCertificate } from './stored.ts'

export type ConsoleCertificate = {
  current(): Served
  /** Another one is served from now on. */
  onChange(listener: () => void): void
  /** Tells what is served, and looks every ten seconds from now on. */
  watch(log: Log): void
  /** `isAsked`: by somebody, so it is read at once, however lately it was written. */
  look(isAsked?: boolean): Promise<void>
  close(): Promise<void>
}
type Say = (data: object, message: string) => void
type Log = Record<'info' | 'warn' | 'error', Say>
type Deps = { now: () => number; certificates: ServerCertificates }

const LOOK_EVERY_MS = 10_000
const iso = (ms: number) => new Date(ms).toISOString()

/** Throws ConfigRefused. */
export async function openConsoleCertificate(
  wanted: ConsoleTls['source'],
  { now, certificates }: Deps,
): Promise<ConsoleCertificate> {
  const source =
    wanted.kind === 'files'
      ? certificateFiles(wanted, now)
      : storedCertificate(wanted, certificates)
  const from = source.place
  const listeners: (() => void)[] = []
  let log: Log | null = null
  let timer: NodeJS.Timeout | undefined
  let tried = await source.stamp()
  let seen = tried
  let served = await source.read()

  const tell = (message: string) => {
    const { fingerprint, names, notAfterMs, warnings } = served
    log?.info({ from, fingerprint, names, notAfter: iso(notAfterMs) }, message)
    for (const warning of warnings) log?.warn({ from }, `the console’s certificate: ${warning}`)
    if (notAfterMs <= now()) log?.error({ from }, 'the console’s certificate has expired')
  }

  const lookNow = async (isAsked: boolean) => {
    const stamp = await source.stamp()
    // Certificate and key are written one after the other: they are read when they have been left alone for one look.
    const isSettled = stamp === seen
    seen = stamp
    if (!isAsked && (stamp === tried || !isSettled)) return
    tried = stamp
    const next = await source.read()
    const isSame = next.chain === served.chain && next.key === served.key
    served = next
    tell(`the console ${isSame ? 'goes on with this' : 'serves another'} certificate`)
    if (!isSame) for (const listener of listeners) listener()
  }

  let looking = Promise.resolve()
  /** One after the other. */
  const look = (isAsked = false): Promise<void> => {
    looking = looking
      .then(() => lookNow(isAsked))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        const data = { from, reason, notAfter: iso(served.notAfterMs) }
        log?.error(data, 'the console’s new certificate cannot be served, and the one before is')
      })
    return looking
  }

  return {
    current: () => served,
    onChange(listener) {
      listeners.push(listener)
    },
    watch(to) {
      log = to
      tell('the console serves this certificate')
      timer = setInterval(() => void look(), LOOK_EVERY_MS)
      timer.unref()
    },
    look,
    async close() {
      clearInterval(timer)
      await looking
    },
  }
}
