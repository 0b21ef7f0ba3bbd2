// SPDX-License-Identifier: MIT

/** What the listener shows, and until when. */
export type Served = {
  /** PEM, leaf first. */
  chain: string
  key: string
  fingerprint: string
  names: string[]
  notAfterMs: number
  /** Why clients may refuse it nevertheless. */
  warnings: string[]
}

/** Where a certificate comes from. */
export type Source = {
  /** Another text when it may have become another. */
  stamp(): Promise<string>
  /** Throws ConfigRefused. */
  read(): Promise<Served>
  /** In words, for the log. */
  place: string
}
