// SPDX-License-Identifier: MIT
import type { Extension } from '@codemirror/state'
import { type EditorView, ViewPlugin } from '@codemirror/view'

function isAway(view: EditorView): boolean {
  const { top, bottom } = view.dom.getBoundingClientRect()
  return bottom <= 0 || top >= window.innerHeight
}

/**
 * The library does not measure what lies outside the window: until it comes into view its gutter
 * follows guessed line heights and stands beside the wrong lines, as a long screenshot or a print
 * shows. Asked to keep its scroll position, which moves nothing, it measures wherever it is.
 */
export const measureAway: Extension = ViewPlugin.define((view) => {
  let ended = false
  const measure = () => {
    // With the focus something else is already on its way: a place to scroll to.
    if (!ended && !view.hasFocus) view.dispatch({ effects: view.scrollSnapshot() })
  }
  // Before its first measuring, which is in the next frame: later ones leave lines out. Also when
  // it is in view now: what loads above it may push it out by then.
  queueMicrotask(measure)
  const observer = new ResizeObserver(() => {
    if (isAway(view)) measure()
  })
  observer.observe(view.dom)
  return {
    destroy: () => {
      ended = true
      observer.disconnect()
    },
  }
})
