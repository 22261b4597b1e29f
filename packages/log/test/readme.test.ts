import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const pathOf = (page: string): string => fileURLToPath(new URL(`../${page}`, import.meta.url))
const README = pathOf('README.md')
const PAGES = ['functions', 'formats', 'sinks', 'asynchronous'].map((page) => pathOf(`docs/${page}.md`))

runPage(README, { from: pathOf('') })
for (const page of PAGES) runReadme(page, { from: pathOf('') })
namesEveryExport(README, ['index', 'testing'], PAGES)
