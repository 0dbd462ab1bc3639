/* What the scripts share that keep a part of a page fresh: when it rests, and how the new takes the place of the old. */
'use strict';
const Renewal = {
    /* Whether somebody is at work in it: something inside is focused or selected. */
    inUse: region => {
        const selection = document.getSelection();
        return region.contains(document.activeElement) ||
            (selection && !selection.isCollapsed && region.contains(selection.anchorNode));
    },
    /* A drawer with an id stays open or shut as its reader left it. */
    put: (region, fresh) => {
        const node = document.importNode(fresh, true);
        for (const drawer of node.querySelectorAll('details[id]')) {
            const before = document.getElementById(drawer.id);
            if (before && region.contains(before)) {
                drawer.open = before.open;
            }
        }
        region.replaceChildren(node);
    },
};
