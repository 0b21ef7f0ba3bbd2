// SPDX-License-Identifier: MIT
// Nodes by id and in the order of their names. Ten thousand change one by one, so each is put in its place.
import { indexAfter } from '../../base/sorted.ts'

type Named = { id: string; name: string }

export class KeptNodes<Node extends Named> {
  readonly #byId = new Map<string, Node>()
  readonly #inOrder: Node[] = []

  get inOrder(): readonly Node[] {
    return this.#inOrder
  }

  set(node: Node): void {
    this.delete(node.id)
    this.#byId.set(node.id, node)
    this.#inOrder.splice(indexAfter(this.#inOrder, node, compareNames), 0, node)
  }

  delete(id: string): void {
    const node = this.#byId.get(id)
    if (!node) return
    this.#byId.delete(id)
    this.#inOrder.splice(indexAfter(this.#inOrder, node, compareNames) - 1, 1)
  }

  clear(): void {
    this.#byId.clear()
    this.#inOrder.length = 0
  }
}

/** Two may have one name until both that changed were read. */
function compareNames(one: Named, other: Named): number {
  if (one.name !== other.name) return one.name < other.name ? -1 : 1
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}
