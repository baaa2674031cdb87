;;; mediaconf-mode.el --- The configuration of media servers  -*- lexical-binding: t -*-

;; In the init file: (load "/path/to/examples/editors/emacs/mediaconf-mode.el")
;; A file of another name is known by the line `# -*- mode: mediaconf -*-' at its top.

;;; Code:

(defvar mediaconf-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defvar mediaconf-font-lock-keywords
  '(("\\(?:^\\|[;{}]\\)[ \t]*\\([a-z_]+\\)" 1 font-lock-keyword-face)))

;;;###autoload
(define-derived-mode mediaconf-mode prog-mode "Mediaconf"
  "The configuration of a media server."
  (setq-local comment-start "# ")
  (setq-local indent-tabs-mode nil)
  (setq-local compile-command (concat "mediactl check " (shell-quote-argument (or buffer-file-name ""))))
  (setq-local font-lock-defaults '(mediaconf-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("/media\\.conf\\'" . mediaconf-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("mediactl.*/draft-[^/]*\\.conf\\'" . mediaconf-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(mediaconf-mode . ("mediactl" "lsp"))))
(defun mediaconf-start-server ()
  "Start the language server, if there is a client."
  (when (fboundp 'eglot-ensure)
    (eglot-ensure)))
(add-hook 'mediaconf-mode-hook #'mediaconf-start-server)

(provide 'mediaconf-mode)
;;; mediaconf-mode.el ends here
