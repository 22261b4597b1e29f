import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage } from '@fw/testing'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const README = `${FOLDER}README.md`
const JWT = `${FOLDER}docs/jwt.md`

runPage(README, { from: FOLDER })
runPage(JWT, { from: FOLDER, installed: ['@fw/core', '@fw/auth', 'jose'] })
namesEveryExport(README, ['index', 'jwt', 'password'], [JWT])
