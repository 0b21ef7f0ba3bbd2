// SPDX-License-Identifier: MIT
// What is wrong with a version as nodes would get it: said once, with the first of the nodes that it is said of.
import { type ConfigError, some } from '../../../api-shapes/common.ts'
import { FINDINGS_NAMED, type Findings, NODES_NAMED } from '../shapes/plan-schema.ts'

type Node = { id: string; name: string }

/** Of one text; of more nobody reads each. */
export const MOST_ERRORS_EACH = 10

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
