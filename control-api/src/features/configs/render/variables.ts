// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// ${node.name}, ${node.label.zone} and ${group.name} in the texts of a config. Replaced before the node
// sees them; a dollar more, $${node.name}, is the text "${node.name}" itself. What the node's own
// templates call ${host}, ${query} and ${1} is none of ours and stays.
import { nearestName } from '../../../base/nearest-name.ts'
import type { RenderTarget } from '../../../labels/grouping.ts'

/** server-c's url_template.c owns these names; a test compares them with its schema. */
export const NODES_OWN: ReadonlySet<string> = new Set(['host', 'query'])
const REFERENCE = /\$?\$\{([A-Za-z][^{}]*)(\}?)/g
const LABEL = 'node.label.'
const LABEL_KEY = /^[a-z][a-z0-9_.-]{0,62}$/
const NAMES = ['node.name', 'group.name']

export type Fault = { reference: string; message: string; hint: string }
export type Filled = { text: string; used: [name: string, value: string][]; faults: Fault[] }
/** undefined: the node has no such label. Asked only for names there may be. */
export type Lookup = (name: string) => string | undefined

export const mayHoldVariables = (text: string) => text.includes('${')

export function fillIn(text: string, lookup: Lookup): Filled {
  const used: Filled['used'] = []
  const faults: Fault[] = []
  const filled = text.replaceAll(REFERENCE, (whole: string, name: string, brace: string) => {
    if (NODES_OWN.has(name)) return whole
    if (whole.startsWith('$$')) return whole.slice(1)
    const value = isKnown(name) && brace ? lookup(name) : undefined
    if (value !== undefined) {
      used.push([name, value])
      return value
    }
    faults.push({ reference: whole, ...faultOf(name, brace !== '') })
    return whole
  })
  return { text: filled, used, faults }
}

export const valuesFor =
  ({ group, node }: RenderTarget): Lookup =>
  (name) => {
    if (name === 'node.name') return node.name
    if (name === 'group.name') return group.name
    const label = name.slice(LABEL.length)
    return Object.hasOwn(node.labels, label) ? node.labels[label] : undefined
  }

function isKnown(name: string): boolean {
  if (NAMES.includes(name)) return true
  return name.startsWith(LABEL) && LABEL_KEY.test(name.slice(LABEL.length))
}

function faultOf(name: string, isClosed: boolean): Omit<Fault, 'reference'> {
  if (!isClosed) return { message: `"\${${name}" has no closing brace`, hint: ESCAPE }
  if (isKnown(name)) {
    const label = name.slice(LABEL.length)
    return {
      message: `the node has no label ${JSON.stringify(label)}`,
      hint: `give it one, or set this value in an override of its own`,
    }
  }
  const nearest = nearestName(name, [...NAMES, `${LABEL}${name.split('.').at(-1)}`])
  const message = `there is no variable ${JSON.stringify(name)}`
  return { message, hint: nearest ? `did you mean \${${nearest}}?` : ESCAPE }
}

const ESCAPE =
  'there are ${node.name}, ${node.label.NAME} and ${group.name}; "$${" is the text "${"'
