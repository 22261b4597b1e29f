import { fuzzSuite } from '@fw/testing'

fuzzSuite(new URL('../fuzz/', import.meta.url))
