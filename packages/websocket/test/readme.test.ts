import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const README = fileOf('../README.md')
const PAGES = ['../docs/sockets.md', '../docs/production.md'].map(fileOf)

runPage(README, { from: fileOf('..') })
for (const page of PAGES) runReadme(page, { from: fileOf('..') })
namesEveryExport(README, ['index'], PAGES)
