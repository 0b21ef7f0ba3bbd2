// SPDX-License-Identifier: MIT
// A long page in topics, with a rail beside it that leads to each and shows which one is being looked at.
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import classes from './topics.module.css'

export type Topic = { id: string; title: string; children: React.ReactNode }

export function Topics({ label, topics }: { label: string; topics: readonly Topic[] }) {
  const current = useTopicInView(topics.map(({ id }) => id).join(' '))
  return (
    <div className={classes.page}>
      <nav aria-label={label} className={classes.rail}>
        {topics.map(({ id, title }) => (
          <Link
            key={id}
            to="."
            search={true}
            hash={id}
            replace
            // All lead to this page: only the topic that was gone to is where one is.
            activeOptions={{ includeHash: true }}
            className={classes.link ?? ''}
            data-current={id === current || undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <div className={classes.topics}>
        {topics.map(({ id, title, children }) => (
          <div key={id} id={id} className={classes.topic}>
            <h2 className={classes.title}>{title}</h2>
            {children}
          </div>
        ))}
      </div>
    </div>
  )
}

/** The last one that has come into the upper third of the window. */
function useTopicInView(ids: string): string | null {
  const [current, setCurrent] = useState<string | null>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const seen = entries.find(({ isIntersecting }) => isIntersecting)
        if (seen !== undefined) setCurrent(seen.target.id)
      },
      { rootMargin: '-10% 0px -66% 0px' },
    )
    for (const id of ids.split(' ')) {
      const topic = document.getElementById(id)
      if (topic !== null) observer.observe(topic)
    }
    return () => observer.disconnect()
  }, [ids])
  return current
}
