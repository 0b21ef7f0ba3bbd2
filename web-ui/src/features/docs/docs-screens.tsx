// SPDX-License-Identifier: MIT

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Page } from '../../components/page.tsx'
import { QueryStates } from '../../components/query-states.tsx'
import { t } from '../../languages/t.ts'
import { docQuery } from './api.ts'
import classes from './docs.module.css'
import { docsIndexQuery } from './index-query.ts'
import { blocksOf, plainText } from './markdown.ts'
import { MarkdownView } from './markdown-view.tsx'

export function DocsScreen() {
  const index = useQuery(docsIndexQuery)
  return (
    <Page title={t('Docs')}>
      <QueryStates query={index} what={t('The docs')} skeletonRows={8}>
        {(headings) => (
          <ul className={`panel ${classes.list}`}>
            {headings
              .filter(({ id }) => id === '')
              .toSorted((a, b) => a.title.localeCompare(b.title))
              .map(({ page, title }) => (
                <li key={page}>
                  <Link to="/docs/$page" params={{ page }}>
                    {title}
                  </Link>
                </li>
              ))}
          </ul>
        )}
      </QueryStates>
    </Page>
  )
}

export function DocScreen({ page, hash }: { page: string; hash: string }) {
  const doc = useQuery(docQuery(page))
  const blocks = useMemo(() => blocksOf(doc.data ?? ''), [doc.data])
  const title = blocks.find((block) => block.kind === 'heading' && block.level === 1)
  // The heading is there only when the page is.
  useEffect(() => {
    if (blocks.length > 0 && hash !== '') document.getElementById(hash)?.scrollIntoView()
  }, [blocks, hash])
  return (
    <Page title={title?.kind === 'heading' ? plainText(title.text) : page}>
      <p>
        <Link to="/docs">{t('All docs')}</Link>
      </p>
      <QueryStates query={doc} what={t('The page')} skeletonRows={8}>
        {(text) =>
          text === null ? (
            <EmptyState title={t('There is no such page')}>
              {t('The docs have none of this name.')}
            </EmptyState>
          ) : (
            <div className="panel">
              <MarkdownView blocks={blocks} />
            </div>
          )
        }
      </QueryStates>
    </Page>
  )
}
