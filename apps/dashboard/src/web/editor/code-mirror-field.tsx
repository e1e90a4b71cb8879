import { setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { PublishProblem } from '../../api/problem';
import { useServices } from '../context';
import styles from './code-field.module.css';
import { createEditor, replaceText } from './create-editor';
import { toDiagnostics } from './diagnostics';

type CodeMirrorProps = {
  label: string;
  language: 'html' | 'text';
  text: string;
  isReadOnly: boolean;
  problems: PublishProblem[];
  paths: string[];
  data: Record<string, unknown>;
  helpers: string[];
  onChange: (text: string) => void;
};

export function CodeMirrorField(props: CodeMirrorProps) {
  const { label, language, text, isReadOnly, problems } = props;
  const { nonce } = useServices();
  const container = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const change = useEffectEvent((next: string) => props.onChange(next));
  const getCompletionInput = useEffectEvent(() => props);
  const mountEditor = useEffectEvent((parent: HTMLElement) =>
    createEditor({
      parent,
      nonce,
      label,
      language,
      isReadOnly,
      text,
      onChange: change,
      getCompletionInput,
    }),
  );
  useEffect(() => {
    if (!container.current) return;
    const view = mountEditor(container.current);
    editor.current = view;
    return () => view.destroy();
  }, []);
  useEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === text) return;
    replaceText(view, text);
  }, [text]);
  useEffect(() => {
    const view = editor.current;
    if (view) view.dispatch(setDiagnostics(view.state, toDiagnostics(view.state.doc, problems)));
  }, [problems]);
  return <div ref={container} className={styles.editor} />;
}
