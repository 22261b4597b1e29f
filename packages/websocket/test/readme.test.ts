import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage } from '@fw/testing'

const README = fileURLToPath(new URL('../README.md', import.meta.url))

runPage(README, { from: fileURLToPath(new URL('..', import.meta.url)) })
namesEveryExport(README, ['index'])
