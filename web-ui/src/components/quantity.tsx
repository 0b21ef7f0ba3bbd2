// SPDX-License-Identifier: MIT
import { exactWords, type Format } from '../lib/format.ts'

type Props = { of: number | null | undefined; as: Format }

/** A number in units that read well; pointed at, it is exact. */
export function Quantity({ of, as: format }: Props) {
  const words = format(of)
  const exact = exactWords(of, format)
  return exact === null || exact === words ? words : <span title={exact}>{words}</span>
}
