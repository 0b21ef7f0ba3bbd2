// SPDX-License-Identifier: MIT
// One process speaks for a node. A start of the node (an incarnation) whose hello comes after another's
// hello took its place proves that two processes hold one identity. Pure.
//
//   no clone     hello of a new one    it takes the place; the one before is remembered
//                hello of a past one   asked to say it again: a network may have held it back, and its
//                                      sender be dead; said again, clone detected: nobody is believed
//   undecided    anybody               refused, and remembered, so that an operator sees who there is
//   decided      the kept one          as ever; when it has a new key, the matter is closed
//                anybody else          refused (they still hold the old key, or their copy of the secret)
//
// Other messages of a stranger are only told to say hello: what a network held back is no proof.
export type Incarnation = {
  incarnation: string
  hostname: string
  /** Where its hello came from. */
  address: string | null
  atMs: number
  /** Its place was taken, and it was heard once more. */
  hasReturned?: boolean
}
export type Clone = { detectedAtMs: number; incarnations: Incarnation[]; keep: string | null }
export type Standing = {
  current: string | null
  past: Incarnation[]
  clone: Clone | null
}

/** Restarts that are remembered. A clone speaks again within seconds, not after a hundred restarts. */
const MAX_PAST = 64
const MAX_SHOWN = 8

export type HelloVerdict = {
  kind: 'same' | 'new' | 'say-again' | 'refused' | 'detected'
  standing: Standing
}

/** `before`: whose place would be taken, as its last hello said. `isKeyed`: the kept one will get a new key. */
export function judgeHello(
  standing: Standing,
  said: Incarnation,
  { before, isKeyed }: { before: Incarnation | null; isKeyed: boolean },
): HelloVerdict {
  const { current, past, clone } = standing
  const id = said.incarnation
  if (clone && id !== clone.keep) {
    const isStranger = !clone.incarnations.some((one) => one.incarnation === id)
    const mayPass = clone.keep !== null && !isKeyed && isStranger
    if (!mayPass)
      return { kind: 'refused', standing: { ...standing, clone: remember(clone, said) } }
  }
  if (current === id || current === null) {
    return { kind: current === id ? 'same' : 'new', standing: { ...standing, current: id } }
  }
  const isKept = clone?.keep === id
  const earlier = isKept ? undefined : past.find((one) => one.incarnation === id)
  if (earlier && !earlier.hasReturned) {
    const noted = past.map((one) => (one === earlier ? { ...one, hasReturned: true } : one))
    return { kind: 'say-again', standing: { ...standing, past: noted } }
  }
  if (earlier) {
    const detected = { detectedAtMs: said.atMs, incarnations: before ? [before] : [], keep: null }
    return { kind: 'detected', standing: { ...standing, clone: remember(detected, said) } }
  }
  const others = past.filter((one) => one.incarnation !== id && one.incarnation !== current)
  const left = before ? [before, ...others] : others
  return { kind: 'new', standing: { ...standing, current: id, past: left.slice(0, MAX_PAST) } }
}

/** The newest that spoke, the kept one always among them. */
function remember(clone: Clone, said: Incarnation): Clone {
  const others = clone.incarnations.filter((one) => one.incarnation !== said.incarnation)
  const kept = others.find((one) => one.incarnation === clone.keep)
  const rest = others.filter((one) => one !== kept)
  const incarnations = [...(kept ? [kept] : []), said, ...rest].slice(0, MAX_SHOWN)
  return { ...clone, incarnations }
}

export type Admission = 'ok' | 'say-hello' | 'refused'

/** Of a message that is no hello; null: it does not say who sends it. */
export function admit({ current, clone }: Standing, incarnation: string | null): Admission {
  if (clone && clone.keep === null) return 'refused'
  if (incarnation === null) return 'ok'
  const isOther = clone?.incarnations.some((one) => one.incarnation === incarnation) ?? false
  if (isOther && incarnation !== clone?.keep) return 'refused'
  return incarnation === current ? 'ok' : 'say-hello'
}

type Columns = { incarnation: string | null; past_incarnations: string; clone: string | null }

export const standingOf = (row: Columns): Standing => ({
  current: row.incarnation,
  past: JSON.parse(row.past_incarnations),
  clone: cloneOf(row),
})
export const cloneOf = ({ clone }: Pick<Columns, 'clone'>): Clone | null =>
  clone === null ? null : JSON.parse(clone)
