// SPDX-License-Identifier: MIT
// Drawing in turn. A chart takes a good part of a frame, and a page has ten: drawn in one go they are a pause that one feels.
// So each frame has one piece, and what can be seen comes first.

type Piece = { element: Element; draw: () => void }
type Turns = { waiting: Set<Piece>; isAwaited: boolean }

/** Frames are those of a document, and end with it. */
const turnsIn = new WeakMap<Document, Turns>()

/** Draws before one of the next frames. What is returned gives the turn up. */
export function inTurn(element: Element, draw: () => void): () => void {
  const turns = turnsIn.get(element.ownerDocument) ?? { waiting: new Set(), isAwaited: false }
  turnsIn.set(element.ownerDocument, turns)
  const piece = { element, draw }
  turns.waiting.add(piece)
  awaitFrame(turns)
  return () => void turns.waiting.delete(piece)
}

function awaitFrame(turns: Turns): void {
  if (turns.isAwaited || turns.waiting.size === 0) return
  turns.isAwaited = true
  requestAnimationFrame(() => drawOne(turns))
}

function drawOne(turns: Turns): void {
  turns.isAwaited = false
  const pieces = [...turns.waiting]
  const piece = pieces.find(({ element }) => isInWindow(element)) ?? pieces[0]
  if (piece === undefined) return
  turns.waiting.delete(piece)
  // First, so that one that cannot be drawn holds up no other.
  awaitFrame(turns)
  piece.draw()
}

function isInWindow(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top < window.innerHeight && bottom > 0
}
