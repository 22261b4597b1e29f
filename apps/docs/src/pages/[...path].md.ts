import type { APIRoute, GetStaticPaths } from 'astro'
import { getCollection } from 'astro:content'

/** Serves the Markdown text of each page at its path, followed by `.md`. */
export const getStaticPaths: GetStaticPaths = async () => {
  const pages = await getCollection('docs')
  return pages.map(({ id, data, body = '' }) => ({
    params: { path: id },
    props: { text: `# ${data.title}\n\n${body}\n` },
  }))
}

export const GET: APIRoute = ({ props }) =>
  new Response(props['text'], { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
