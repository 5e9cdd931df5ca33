import { onLibsql } from '../support/example/storages'
import { testConfirmation } from './storages/confirm'

onLibsql('the question of the example whose login this is', testConfirmation)
