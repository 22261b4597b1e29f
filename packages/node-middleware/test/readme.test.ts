import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const README = fileURLToPath(new URL('../README.md', import.meta.url))

const FROM = fileURLToPath(new URL('..', import.meta.url))

runReadme(fileURLToPath(new URL('../docs/libraries.md', import.meta.url)))
runPage(README, { from: FROM })
namesEveryExport(README, ['index'])
