import type { ModalView } from '@slack/types';
import type { Alert } from '../../src/alerts/alert.ts';
import { modal } from '../core/form.ts';
import type { View } from '../core/view.ts';
import { renderHolderAlert } from '../holders/holder-alert.ts';
import { renderAlert } from './alert.ts';

/**
 * The long alert without its buttons, which are on the message, as of now. Null when there is nothing to show.
 */
export function alertDetails(
  alert: Alert,
  audience: 'team' | 'holder',
  view: View & { readonly now: Date },
): ModalView | null {
  const long = { ...view, isLong: true };
  const message = audience === 'holder' ? renderHolderAlert(alert, long) : renderAlert(alert, long);
  if (message === null) return null;
  return modal({
    title: 'Details',
    blocks: message.blocks.filter(({ type }) => type !== 'actions'),
  });
}
