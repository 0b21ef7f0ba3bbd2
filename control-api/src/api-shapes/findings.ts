// SPDX-License-Identifier: MIT
// What is wrong with a text as nodes would get it: said once, with the first of the nodes that it is said of.
import { type Static, Type } from 'typebox'
import {
  type ConfigError,
  ConfigErrorSchema,
  NameSchema,
  NodeIdSchema,
  some,
  someOf,
} from './common.ts'

/** So that what is said of the largest farm fits into an answer. */
export const FINDINGS_NAMED = 50
export const NODES_NAMED = 10

/** Of one text; of more nobody reads each. */
export const MOST_ERRORS_EACH = 10

export const NodeRefSchema = Type.Object({ nodeId: NodeIdSchema, nodeName: NameSchema })
export const FindingsSchema = someOf(
  Type.Object({
    error: Type.Object(ConfigErrorSchema.properties, {
      description: 'In places of the version’s text',
    }),
    nodes: someOf(NodeRefSchema, NODES_NAMED),
  }),
  FINDINGS_NAMED,
)
export type Findings = Static<typeof FindingsSchema>

type Node = { id: string; name: string }

export class Found {
  readonly #found = new Map<string, { error: ConfigError; nodes: Node[] }>()

  /** What is said in the same words and of the same place is said once. */
  add(error: ConfigError, nodes: readonly Node[]): void {
    const key = JSON.stringify(error)
    const finding = this.#found.get(key) ?? { error, nodes: [] }
    this.#found.set(key, finding)
    for (const node of nodes) finding.nodes.push(node)
  }

  /** What most share comes first. */
  view(): Findings {
    const sorted = [...this.#found.values()].toSorted(
      (a, b) =>
        b.nodes.length - a.nodes.length ||
        a.error.line - b.error.line ||
        a.error.column - b.error.column,
    )
    const { total, items } = some(sorted, FINDINGS_NAMED)
    const named = items.map(({ error, nodes }) => {
      const { total: count, items: first } = some(nodes, NODES_NAMED)
      return { error, nodes: { total: count, items: first.map(refOf) } }
    })
    return { total, items: named }
  }
}

export const refOf = ({ id, name }: Node) => ({ nodeId: id, nodeName: name })
