// SPDX-License-Identifier: MIT
// Drawing in turn. A chart takes a good part of a frame, and a page has ten: drawn in one go they are a pause that one feels.
// So each frame has one piece, and what can be seen comes first.

type Piece = { element: Element; draw: () => void }

const waiting = new Set<Piece>()
/** That was asked for; null: nobody waits. */
let frame: number | null = null

/** Draws before one of the next frames. What is returned gives the turn up. */
export function inTurn(element: Element, draw: () => void): () => void {
  const piece = { element, draw }
  waiting.add(piece)
  awaitFrame()
  return () => {
    waiting.delete(piece)
    if (waiting.size > 0 || frame === null) return
    cancelAnimationFrame(frame)
    frame = null
  }
}

function awaitFrame(): void {
  if (waiting.size > 0) frame ??= requestAnimationFrame(drawOne)
}

function drawOne(): void {
  frame = null
  const pieces = [...waiting]
  const piece = pieces.find(({ element }) => isInWindow(element)) ?? pieces[0]
  if (piece === undefined) return
  waiting.delete(piece)
  // First, so that one that cannot be drawn holds up no other.
  awaitFrame()
  piece.draw()
}

function isInWindow(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top < window.innerHeight && bottom > 0
}
