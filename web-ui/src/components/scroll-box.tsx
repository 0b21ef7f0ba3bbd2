// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from 'react'

type ScrollBoxProps = { label: string; children: React.ReactNode }

/** A table that may be wider than the window: a shadow says where it goes on, and the keyboard gets there. */
export function ScrollBox({ label, children }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null)
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      setWide(element.scrollWidth > element.clientWidth)
    })
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <section ref={box} className="scroll-x" aria-label={label} tabIndex={isWide ? 0 : undefined}>
      {children}
    </section>
  )
}
