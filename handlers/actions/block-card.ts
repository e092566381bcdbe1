import { actOnAlert } from '../dispatch/act-on-alert.ts';

/** *Block card* on an alert. */
export const blockCard = actOnAlert('block');
