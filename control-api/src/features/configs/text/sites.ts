// SPDX-License-Identifier: MIT
// The sites of a config's text: what each is called, and where its part stands.
import type { Node } from 'jsonc-parser'
import type { JsonObject, JsonValue } from '../../../json/values.ts'
import { isObject } from '../../../json/values.ts'
import { digestOf } from './digest.ts'
import { nodeAt, parseConfigText, positionsIn } from './text.ts'

export type TextSite = {
  /** Its place in the list. */
  index: number
  /** In lower case; never none. */
  hosts: string[]
  root: string | null
  /** By name, each once. */
  certificates: string[]
  /** It has others, in files of the node. */
  hasCertificateFiles: boolean
  /** Of its part of the text. */
  offset: number
  length: number
  line: number
  endLine: number
  /** Of what it says, not of how it is written. */
  digest: string
}

/** None of a text that cannot be read; one without a host is nobody's. */
export function sitesIn(text: string): TextSite[] {
  const parsed = parseConfigText(text)
  if (!parsed.ok || !isObject(parsed.value) || !Array.isArray(parsed.value.sites)) return []
  const at = positionsIn(text)
  const nodes = nodeAt(parsed.root, '/sites')?.value.children ?? []
  return parsed.value.sites.flatMap((value, index) => {
    const node = nodes[index]
    return node && isObject(value) ? siteOf(value, { index, node, at }) : []
  })
}

type Where = { index: number; node: Node; at: ReturnType<typeof positionsIn> }

function siteOf(value: JsonObject, { index, node, at }: Where): TextSite[] {
  const hosts = textsIn(value.hosts).map((host) => host.toLowerCase())
  if (hosts.length === 0) return []
  const { offset, length } = node
  const { line, endLine } = at(offset, length)
  const root = typeof value.root === 'string' ? value.root : null
  const digest = digestOf(value)
  return [{ index, hosts, root, ...certificatesOf(value), offset, length, line, endLine, digest }]
}

function certificatesOf({ certificates }: JsonObject) {
  const all = Array.isArray(certificates) ? certificates : []
  const names = textsIn(all.map((one) => (isObject(one) ? (one.name ?? null) : null)))
  return { certificates: [...new Set(names)], hasCertificateFiles: names.length < all.length }
}

const textsIn = (value: JsonValue | undefined): string[] =>
  Array.isArray(value)
    ? (value.filter((one) => typeof one === 'string' && one !== '') as string[])
    : []
