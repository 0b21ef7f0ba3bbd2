// SPDX-License-Identifier: MIT
// What jsdom has not and the kit asks for.
import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { speakAs } from '../lib/speaking-as.ts'
import './quick-elements.ts'
import './quick-errors.ts'
import { SEEN_WITHIN_MS } from './soon.ts'

configure({ asyncUtilTimeout: SEEN_WITHIN_MS })

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoObserver as unknown as typeof ResizeObserver
globalThis.IntersectionObserver ??= NoObserver as unknown as typeof IntersectionObserver
window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList
window.scrollTo = () => {}
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList
Range.prototype.getBoundingClientRect ??= () => new DOMRect()
if (!('fonts' in document)) {
  Object.defineProperty(document, 'fonts', { value: new EventTarget() })
}

afterEach(() => {
  cleanup()
  sessionStorage.clear()
  speakAs(null)
  localStorage.clear()
})
Element.prototype.scrollIntoView ??= () => {}
// What is drawn is looked at in a browser.
HTMLCanvasElement.prototype.getContext = () => null
