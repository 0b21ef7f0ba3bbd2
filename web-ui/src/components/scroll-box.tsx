// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from 'react'

type ScrollBoxProps = {
  label: string
  /** Of what is too high; what is too wide needs none. */
  className?: string | undefined
  children: React.ReactNode
}

/** What may be larger than its place, as a table wider than the window: the keyboard gets to what is hidden. */
export function ScrollBox({ label, className = 'scroll-x', children }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null)
  const [isLarger, setLarger] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element
      setLarger(scrollWidth > clientWidth || scrollHeight > clientHeight)
    })
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <section ref={box} className={className} aria-label={label} tabIndex={isLarger ? 0 : undefined}>
      {children}
    </section>
  )
}
