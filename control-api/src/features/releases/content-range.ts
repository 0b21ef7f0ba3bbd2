// SPDX-License-Identifier: MIT
// Which part of a content a body is (RFC 9110, 14.4 and 14.5). Pure.
import type { UploadPart } from '../../release-store/uploads.ts'

export type Part = ({ ok: true } & UploadPart) | { ok: false; what: string }

const RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/

export function partOf(range: string | undefined, length: string | undefined): Part {
  const bytes = length === undefined ? null : Number(length)
  if (bytes === null || !Number.isSafeInteger(bytes)) return no('The body has no Content-Length')
  if (range === undefined) return { ok: true, fromBytes: 0, endBytes: bytes, totalBytes: bytes }
  const [, first, last, all] = RANGE.exec(range) ?? []
  if (first === undefined) return no(`"${range}" is no Content-Range of one part of a known length`)
  const [fromBytes, endBytes, totalBytes] = [Number(first), Number(last) + 1, Number(all)]
  if (endBytes <= fromBytes || endBytes > totalBytes) {
    return no(`"${range}" names bytes that the content has not`)
  }
  if (endBytes - fromBytes !== bytes) {
    return no(`"${range}" is of ${endBytes - fromBytes} bytes, and Content-Length says ${bytes}`)
  }
  return { ok: true, fromBytes, endBytes, totalBytes }
}

const no = (what: string): Part => ({ ok: false, what })
